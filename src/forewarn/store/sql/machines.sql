-- name: machine
select body from machines where scope_id = ? and name = ?;

-- name: machines_of_scope
select body from machines where scope_id = ? order by name;

-- name: some_machines
select body from machines where scope_id = ? order by running desc limit ?;

-- name: any_runs
select coalesce(max(running), 1) from machines where scope_id = ?;

-- name: machines_named
select body from machines where name = ? order by scope_id;

-- name: machines_after
select body from machines where (scope_id, name) > (?, ?) order by scope_id, name limit ?;

-- name: put_machine
insert into machines (scope_id, name, running, body) values (?, ?, ?, ?)
on conflict (scope_id, name) do update set running = excluded.running, body = excluded.body;

-- name: drop_machine
delete from machines where scope_id = ? and name = ?;
