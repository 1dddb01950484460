-- name: event
select body from events where id = ?;

-- name: live_events_of_scope
select body from events where live = 1 and scope_id = ? order by arrival;

-- name: live_events_of_scopes
select scope_id, body from events where live = 1 and scope_id between ? and ? order by scope_id, arrival;

-- name: events_after
select body from events where id > ? order by id limit ?;

-- name: live_events
select body from events where live = 1;

-- name: events_of_scope_after
select body from events where scope_id = ? and id > ? order by id limit ?;

-- name: add_event
insert into events (scope_id, live, body, id, arrival)
values (?, ?, ?, ?, (select coalesce(max(arrival), 0) + 1 from events where live = 1 and scope_id = ?));

-- name: change_event
update events set live = ?, body = ? where id = ?;
