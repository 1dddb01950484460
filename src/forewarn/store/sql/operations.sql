-- An operation and its event share a row. What ends leaves the index of what is live: only then is `live` written.

-- name: operation
select body from operations where id = ?;

-- name: event
select event from operations where event_id = ?;

-- name: live_of_scope
select body, event from operations where live = 1 and scope_id = ? order by arrival;

-- name: live_of_scopes
select scope_id, body, event from operations where live = 1 and scope_id between ? and ? order by scope_id, arrival;

-- name: live
select body, event from operations where live = 1;

-- name: operations_after
select body from operations where id > ? order by id limit ?;

-- name: operations_of_scope_after
select body from operations where scope_id = ? and id > ? order by id limit ?;

-- name: events_after
select event from operations where event_id > ? order by event_id limit ?;

-- name: events_of_scope_after
select event from operations where scope_id = ? and event_id > ? order by event_id limit ?;

-- name: add_operation
insert into operations (scope_id, live, event_id, body, event, id, arrival)
values (?, ?, ?, ?, ?, ?, (select coalesce(max(arrival), 0) + 1 from operations where live = 1 and scope_id = ?));

-- name: change_operation
update operations set body = ?, event = ? where id = ?;

-- name: end_operation
update operations set live = 0, body = ?, event = ? where id = ?;
