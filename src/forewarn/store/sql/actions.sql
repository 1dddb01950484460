-- name: action
select operation, machine, scope_id, event, impact, source, started_at, due, attempts, fence, duration
from actions where operation = ? and machine = ?;

-- name: next_action
select min(due) from actions where lease_until is null;

-- name: put_action
insert into actions
    (operation, machine, scope_id, event, impact, source, started_at, due, attempts, fence, duration, lease_until)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)
on conflict (operation, machine) do update set
    scope_id = excluded.scope_id, event = excluded.event, impact = excluded.impact, source = excluded.source,
    started_at = excluded.started_at, due = excluded.due, attempts = excluded.attempts, fence = excluded.fence,
    duration = excluded.duration, lease_until = null;

-- name: drop_action
delete from actions where operation = ? and machine = ?;

-- name: lease
update actions set fence = fence + 1, attempts = attempts + 1, lease_until = ?
where (operation, machine) in (
    select operation, machine from actions
    where due <= ? and (lease_until is null or lease_until <= ?)
    order by due, operation, machine limit ?
)
returning operation, machine, scope_id, event, impact, source, started_at, due, attempts, fence, duration;
