-- name: operation
select body from operations where id = ?;

-- name: live_operations_of_scope
select body from operations where live = 1 and scope_id = ? order by arrival;

-- name: live_operations_of_scopes
select scope_id, body from operations where live = 1 and scope_id between ? and ? order by scope_id, arrival;

-- name: operations_after
select body from operations where id > ? order by id limit ?;

-- name: live_operations
select body from operations where live = 1;

-- name: operations_of_scope_after
select body from operations where scope_id = ? and id > ? order by id limit ?;

-- name: add_operation
insert into operations (scope_id, live, body, id, arrival)
values (?, ?, ?, ?, (select coalesce(max(arrival), 0) + 1 from operations where live = 1 and scope_id = ?));

-- name: change_operation
update operations set live = ?, body = ? where id = ?;
