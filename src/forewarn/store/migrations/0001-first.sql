-- The first shape. In the dialect that SQLite and PostgreSQL share; under PostgreSQL the database needs the collation C,
-- so that keys sort as they do here.
--
-- A body is the JSON of a domain value. A column beside it is there because something is searched by it, or because it
-- changes without the body. Moments are microseconds since 1970 in UTC; truth is 1 or 0.

create table scopes (
    id text not null primary key,
    scale_set text,
    campaign text,
    epoch bigint not null,
    incarnation bigint not null,
    last_seen bigint,
    due bigint,
    body text not null
);
create index scopes_of_scale_set on scopes (scale_set, id) where scale_set is not null;
create index scopes_of_campaign on scopes (campaign, id) where campaign is not null;
create index scopes_due on scopes (due, id) where due is not null;

create table machines (
    scope_id text not null,
    name text not null,
    running integer not null,
    body text not null,
    primary key (scope_id, name)
);
create index machines_running on machines (scope_id, running);
create index machines_named on machines (name, scope_id);

-- An operation and, in the same row, the event that announces it: they come and end together.
-- `arrival` keeps what is live in the order in which it came: documents list events in that order.
create table operations (
    id text not null primary key,
    event_id text unique,
    scope_id text not null,
    live integer not null,
    arrival bigint not null,
    body text not null,
    event text
);
create index operations_of_scope on operations (scope_id, id);
create index events_of_scope on operations (scope_id, event_id) where event_id is not null;
create index operations_live_of_scope on operations (scope_id, arrival) where live = 1;

-- The outbox: an action leaves it when it is over.
create table actions (
    operation text not null,
    machine text not null,
    scope_id text not null,
    event text,
    impact text not null,
    source text not null,
    started_at bigint not null,
    due bigint not null,
    duration bigint not null,
    attempts bigint not null,
    fence bigint not null,
    lease_until bigint,
    primary key (operation, machine)
);
create index actions_due on actions (due, operation, machine, lease_until);

create table campaigns (
    id text not null primary key,
    body text not null
);

-- `seq` is an integer here because SQLite then takes it for the row's own number (of 64 bits) and saves an index;
-- PostgreSQL's first migration will say bigint.
create table history (
    seq integer not null primary key,
    scope_id text not null,
    at bigint not null,
    who text not null,
    what text not null,
    subject text not null,
    before text not null,
    after text not null,
    detail text not null,
    digest text not null
);
create index history_of_scope on history (scope_id, seq);
create index history_of_subject on history (subject, seq);

create table notes (
    key text not null primary key,
    value text not null
);

create table answers (
    key text not null primary key,
    value text not null,
    at bigint not null
);
create index answers_by_age on answers (at);

-- What the control plane is told about. `grouped` is the key of the resource group, `kind` the type in lower case;
-- (scope_id, machine) is set where the resource stands for one machine.
create table resources (
    id text not null primary key,
    kind text not null,
    grouped text not null,
    scope_id text,
    machine text,
    body text not null
);
create index resources_of_group on resources (grouped, id);
create index resources_of_kind on resources (kind, id);
create index resources_of_machine on resources (scope_id, machine, id) where machine is not null;

create table jobs (
    id text not null primary key,
    at bigint not null,
    body text not null
);
create index jobs_by_age on jobs (at);

-- What is told of events outside their documents: the last of it, for who looks it up. `ended` is set once it is over.
create table published (
    event text not null primary key,
    ended bigint,
    body text not null
);
create index published_by_age on published (ended) where ended is not null;

-- The webhooks' outbox: what a subscription has not heard yet. `at` is the fleet's time and only keeps them in order;
-- the other moments are the wall clock's.
create table deliveries (
    notice text not null,
    subscription text not null,
    at bigint not null,
    due bigint not null,
    begun bigint,
    attempts bigint not null,
    fence bigint not null,
    lease_until bigint,
    body text not null,
    primary key (notice, subscription)
);
create index deliveries_due on deliveries (due, subscription, lease_until);
create index deliveries_held on deliveries (lease_until) where lease_until is not null;
create index deliveries_of_subscription on deliveries (subscription, due, at, notice);
