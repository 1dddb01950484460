-- name: resource
select body from resources where id = ?;

-- name: resources_after
select body from resources where id > ? order by id limit ?;

-- name: resources_of_group_after
select body from resources where grouped = ? and id > ? order by id limit ?;

-- name: resources_of_kind_after
select body from resources where kind = ? and id > ? order by id limit ?;

-- name: resources_of_kind_in_group_after
select body from resources where grouped = ? and kind = ? and id > ? order by id limit ?;

-- name: resources_of_machine
select body from resources where scope_id = ? and machine = ? order by id;

-- name: put_resource
insert into resources (id, kind, grouped, scope_id, machine, body) values (?, ?, ?, ?, ?, ?)
on conflict (id) do update set
    kind = excluded.kind, grouped = excluded.grouped, scope_id = excluded.scope_id, machine = excluded.machine,
    body = excluded.body;

-- name: drop_resource
delete from resources where id = ?;

-- name: job
select body from jobs where id = ?;

-- name: put_job
insert into jobs (id, at, body) values (?, ?, ?)
on conflict (id) do update set at = excluded.at, body = excluded.body;

-- name: forget_jobs
delete from jobs where at < ?;
