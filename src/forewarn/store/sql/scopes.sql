-- Whether any machine of a scope runs is read from its machines; a scope without machines counts as running.

-- name: scope
select id, scale_set, epoch, incarnation, last_seen, body,
    coalesce((select max(running) from machines where scope_id = scopes.id), 1)
from scopes where id = ?;

-- name: ids_of_scale_set
select id from scopes where scale_set = ? order by id;

-- name: scopes_after
select id, scale_set, epoch, incarnation, last_seen, body,
    coalesce((select max(running) from machines where scope_id = scopes.id), 1)
from scopes where id > ? order by id limit ?;

-- name: scopes_of_campaign_after
select id, scale_set, epoch, incarnation, last_seen, body,
    coalesce((select max(running) from machines where scope_id = scopes.id), 1)
from scopes where campaign = ? and id > ? order by id limit ?;

-- name: scopes_due
select id from scopes where due <= ? order by due, id limit ?;

-- name: next_due
select min(due) from scopes where due is not null;

-- name: add_scope
insert into scopes (scale_set, campaign, epoch, incarnation, last_seen, due, body, id) values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: change_scope
update scopes set scale_set = ?, campaign = ?, epoch = ?, incarnation = ?, last_seen = ?, due = ?, body = ?
where id = ?;

-- name: mark_seen
update scopes set last_seen = ?, due = ? where id = ?;

-- name: drop_scope
delete from scopes where id = ?;
