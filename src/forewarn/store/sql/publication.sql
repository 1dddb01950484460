-- name: published_after
select body from published where event > ? order by event limit ?;

-- name: put_published
insert into published (event, ended, body) values (?, ?, ?)
on conflict (event) do update set ended = excluded.ended, body = excluded.body;

-- name: drop_published
delete from published where event = ?;

-- name: forget_published
delete from published where ended < ?;

-- name: delivery
select subscription, due, begun, attempts, fence, body from deliveries where notice = ? and subscription = ?;

-- name: put_delivery
insert into deliveries (notice, subscription, at, due, begun, attempts, fence, body, lease_until)
values (?, ?, ?, ?, ?, ?, ?, ?, null)
on conflict (notice, subscription) do update set
    at = excluded.at, due = excluded.due, begun = excluded.begun, attempts = excluded.attempts,
    fence = excluded.fence, body = excluded.body, lease_until = null;

-- name: drop_delivery
delete from deliveries where notice = ? and subscription = ?;

-- name: subscription_waiting_after
select subscription from deliveries
where subscription > ? and due <= ? and (lease_until is null or lease_until <= ?)
order by subscription limit 1;

-- name: next_delivery
select min(due) from deliveries where lease_until is null and due > ?;

-- name: lease_deliveries
update deliveries set fence = fence + 1, attempts = attempts + 1, lease_until = ?
where (notice, subscription) in (
    select notice, subscription from deliveries
    where subscription = ? and due <= ? and (lease_until is null or lease_until <= ?)
    order by due, at, notice limit ?
)
returning subscription, due, begun, attempts, fence, body;

-- name: free_deliveries
update deliveries set lease_until = null where lease_until >= 0;
