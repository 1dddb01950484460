-- name: campaign
select body from campaigns where id = ?;

-- name: campaigns_after
select body from campaigns where id > ? order by id limit ?;

-- name: put_campaign
insert into campaigns (id, body) values (?, ?) on conflict (id) do update set body = excluded.body;

-- name: note
select value from notes where key = ?;

-- name: put_note
insert into notes (key, value) values (?, ?) on conflict (key) do update set value = excluded.value;

-- name: answer
select value from answers where key = ?;

-- name: forget_answers
delete from answers where at < ?;

-- name: put_answer
insert into answers (key, value, at) values (?, ?, ?)
on conflict (key) do update set value = excluded.value, at = excluded.at;
