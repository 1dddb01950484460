-- name: history_after
select seq, scope_id, at, who, what, subject, before, after, detail, digest
from history where seq > ? order by seq limit ?;

-- name: history_of_scope_after
select seq, scope_id, at, who, what, subject, before, after, detail, digest
from history where scope_id = ? and seq > ? order by seq limit ?;

-- name: history_of_subject_after
select seq, scope_id, at, who, what, subject, before, after, detail, digest
from history where subject = ? and seq > ? order by seq limit ?;

-- name: history_of_subject_in_scope_after
select seq, scope_id, at, who, what, subject, before, after, detail, digest
from history where subject = ? and scope_id = ? and seq > ? order by seq limit ?;

-- name: last_entry
select coalesce(max(seq), 0) from history;

-- name: last_digest
select digest from history where scope_id = ? order by seq desc limit 1;

-- name: add_entry
insert into history (seq, scope_id, at, who, what, subject, before, after, detail, digest)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
