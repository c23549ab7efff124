-- Users act by functions alone, which run with the rights of the owner of the tables and look up who
-- is connected (`session_user`). Nobody but the owner has a right to a table.

-- Rights that an earlier version gave. `goal-store-postgres roles` gives those of this one.
DO $$
DECLARE
    granted text;
BEGIN
    FOR granted IN SELECT rolname FROM pg_catalog.pg_roles
                   WHERE rolname IN ('goal_writer', 'goal_reader') LOOP
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA goal_store FROM %I', granted);
        -- A right to a column is one of its own.
        EXECUTE format('REVOKE ALL (turn) ON goal_store.ledger FROM %I', granted);
    END LOOP;
END
$$;

DROP VIEW goal_store.goal;
DROP VIEW goal_store.event;

-- Who may read a ledger, who may write it too, and who may give others these rights. `role` is a user
-- or a group of users.
CREATE TABLE goal_store.member (
    ledger bigint NOT NULL REFERENCES goal_store.ledger,
    role text COLLATE "C" NOT NULL,
    may_write boolean NOT NULL,
    may_grant boolean NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (ledger, role)
);

-- Ledgers that are there already were everybody's, and stay so until somebody revokes it.
INSERT INTO goal_store.member (ledger, role, may_write, may_grant)
SELECT ledger, 'goal_writer', true, false FROM goal_store.ledger
UNION ALL
SELECT ledger, 'goal_reader', false, false FROM goal_store.ledger;

-- What tells lines apart that must be there once. The server makes it of the bytes: an id that a
-- client names proves nothing, and PostgreSQL cannot compute the ids of goal, which are BLAKE3.
ALTER TABLE goal_store.line ADD COLUMN digest bytea;
UPDATE goal_store.line SET digest = sha256(line.bytes)
FROM (SELECT ledger, min(seq) AS seq FROM goal_store.line WHERE id IS NOT NULL
      GROUP BY ledger, sha256(bytes)) AS first
WHERE line.ledger = first.ledger AND line.seq = first.seq;
ALTER TABLE goal_store.line ADD CONSTRAINT line_once UNIQUE (ledger, digest);
ALTER TABLE goal_store.line DROP COLUMN id;

-- Which user acquired a lease. Those of before are given back: nobody knows whose they are.
ALTER TABLE goal_store.lease ADD COLUMN role text COLLATE "C";
UPDATE goal_store.lease SET holder = NULL, token = token + 1;

-- The ledgers of whoever is connected. The owner of the tables has every right.
CREATE VIEW goal_store.mine WITH (security_barrier) AS
SELECT ledger, name, bool_or(may_write) AS may_write, bool_or(may_grant) AS may_grant
FROM (
    SELECT ledger.ledger, ledger.name, member.may_write, member.may_grant
    FROM goal_store.ledger
    JOIN goal_store.member USING (ledger)
    WHERE pg_has_role(session_user, to_regrole(quote_ident(member.role)), 'MEMBER')
    UNION ALL
    SELECT ledger.ledger, ledger.name, true, true
    FROM goal_store.ledger
    WHERE pg_has_role(session_user, (
        SELECT nspowner FROM pg_namespace WHERE nspname = 'goal_store'), 'MEMBER')
) AS rights
GROUP BY ledger, name;

-- Each line as it can be asked about; `status` where it changes the status of its goal.
CREATE VIEW goal_store.event WITH (security_barrier) AS
SELECT mine.name AS ledger, line.seq, line.at AS appended,
       object ->> 'type' AS type, object ->> 'goalId' AS goal,
       CASE object ->> 'type'
           WHEN 'goal_created' THEN 'active'
           WHEN 'goal_resumed' THEN 'active'
           WHEN 'goal_paused' THEN
               CASE WHEN object -> 'blocked' = 'true' THEN 'blocked' ELSE 'paused' END
           WHEN 'goal_blocked' THEN 'blocked'
           WHEN 'goal_completed' THEN 'complete'
           WHEN 'goal_aborted' THEN coalesce(object ->> 'outcome', 'aborted')
           WHEN 'goal_abandoned' THEN 'abandoned'
           WHEN 'goal_failed' THEN 'failed'
       END AS status,
       object
FROM goal_store.line
JOIN goal_store.mine USING (ledger)
CROSS JOIN LATERAL goal_store.object(line.bytes) AS object;

-- Each goal: its words, how many events it has, and what its last change of status says.
-- This is file order, for dashboards. `goal` itself replays the lines.
CREATE VIEW goal_store.goal WITH (security_barrier) AS
SELECT ledger, goal,
       (array_agg(object ->> 'objective' ORDER BY seq DESC)
           FILTER (WHERE object ->> 'objective' IS NOT NULL))[1] AS objective,
       count(*) AS events,
       (array_agg(status ORDER BY seq DESC) FILTER (WHERE status IS NOT NULL))[1] AS status,
       max(appended) AS last_appended
FROM goal_store.event
WHERE goal IS NOT NULL
GROUP BY ledger, goal;

-- The functions. Errors of their own: GL001 there is no such ledger, GL002 its end is another one,
-- GL003 the lease is over. 42501 says that a right lacks, 22023 that an argument is senseless.

-- The number of a ledger, for whoever may read it, or write it too. A right of the user's own is found
-- first, without the view: each command asks this, on a connection that is new.
CREATE FUNCTION goal_store.permitted(of_ledger text, writes boolean) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint;
    may boolean;
BEGIN
    SELECT ledger.ledger, member.role IS NOT NULL AND (member.may_write OR NOT writes)
    INTO number, may
    FROM goal_store.ledger
    LEFT JOIN goal_store.member
        ON member.ledger = ledger.ledger AND member.role = session_user::text
    WHERE ledger.name = of_ledger;
    IF may THEN
        RETURN number;
    END IF;
    IF number IS NULL THEN
        RAISE EXCEPTION 'the store has no ledger `%`', of_ledger USING ERRCODE = 'GL001';
    END IF;
    SELECT mine.may_write OR NOT writes INTO may FROM goal_store.mine WHERE mine.ledger = number;
    IF may THEN
        RETURN number;
    END IF;
    RAISE EXCEPTION 'the user % % the ledger %', session_user,
        CASE WHEN may IS NULL THEN 'has no right to' ELSE 'may only read' END, of_ledger
        USING ERRCODE = '42501', HINT = format(
            'whoever made it, or owns the database, says: goal-store-postgres grant %s %s',
            of_ledger, session_user);
END
$$;

-- The number of a ledger, for whoever may give others rights to it.
CREATE FUNCTION goal_store.grantable(of_ledger text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, false);
BEGIN
    IF NOT (SELECT mine.may_grant FROM goal_store.mine WHERE mine.ledger = number) THEN
        RAISE EXCEPTION 'the user % may not give others rights to the ledger %', session_user,
            of_ledger USING ERRCODE = '42501';
    END IF;
    RETURN number;
END
$$;

-- Makes an empty ledger, to which whoever makes it has every right; false where it is there already.
CREATE FUNCTION goal_store.create_ledger(of_ledger text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint;
BEGIN
    IF of_ledger IS NULL OR of_ledger !~ '^[A-Za-z0-9._/-]{1,200}$' THEN
        RAISE EXCEPTION 'this is no name of a ledger' USING ERRCODE = '22023';
    END IF;
    INSERT INTO goal_store.ledger (name) VALUES (of_ledger)
    ON CONFLICT DO NOTHING RETURNING ledger.ledger INTO number;
    IF number IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO goal_store.member (ledger, role, may_write, may_grant)
    VALUES (number, session_user, true, true);
    RETURN true;
END
$$;

-- Gives a user or a group the right to read a ledger, and to write it too.
CREATE FUNCTION goal_store.grant_right(of_ledger text, to_role text, writes boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.grantable(of_ledger);
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = to_role) THEN
        RAISE EXCEPTION 'there is no user or group %', to_role USING ERRCODE = '22023';
    END IF;
    INSERT INTO goal_store.member AS member (ledger, role, may_write, may_grant)
    VALUES (number, to_role, writes, false)
    ON CONFLICT (ledger, role) DO UPDATE SET may_write = excluded.may_write;
END
$$;

-- Takes every right to a ledger from a user or a group; false where there was none.
CREATE FUNCTION goal_store.revoke_right(of_ledger text, from_role text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.grantable(of_ledger);
BEGIN
    DELETE FROM goal_store.member WHERE member.ledger = number AND member.role = from_role;
    RETURN FOUND;
END
$$;

-- The first lines that end at this offset or behind it, at most so many.
CREATE FUNCTION goal_store.lines(of_ledger text, at_least bigint, most int)
RETURNS TABLE (seq bigint, ends bigint, bytes bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, false);
BEGIN
    RETURN QUERY
    SELECT line.seq, line.ends, line.bytes FROM goal_store.line
    WHERE line.ledger = number AND line.ends >= at_least
    ORDER BY line.ends LIMIT most;
END
$$;

-- The number of lines, and the offset behind the last of them.
CREATE FUNCTION goal_store.tip(of_ledger text) RETURNS TABLE (seq bigint, ends bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, false);
BEGIN
    RETURN QUERY
    SELECT line.seq, line.ends FROM goal_store.line
    WHERE line.ledger = number ORDER BY line.seq DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN QUERY SELECT 0::bigint, 0::bigint;
    END IF;
END
$$;

-- The ledgers of whoever is connected, by name; `at` is when the last line came.
CREATE FUNCTION goal_store.ledgers()
RETURNS TABLE (name text, seq bigint, ends bigint, at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT mine.name, coalesce(last.seq, 0), coalesce(last.ends, 0), last.at
    FROM goal_store.mine LEFT JOIN LATERAL (
        SELECT line.seq, line.ends, line.at FROM goal_store.line
        WHERE line.ledger = mine.ledger ORDER BY line.seq DESC LIMIT 1) AS last ON true
    ORDER BY mine.name;
END
$$;

-- Takes the turn of a ledger until the transaction ends, and gives its lines as `lines` does. The lock
-- on the row is the turn. The row never changes, so those who wait form one queue. Each statement
-- here sees what was committed before it began, so the lines are those behind the lock.
CREATE FUNCTION goal_store.begin_turn(of_ledger text, at_least bigint, most int)
RETURNS TABLE (seq bigint, ends bigint, bytes bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, true);
BEGIN
    -- Whoever asks by hand and goes away must not keep the others waiting.
    PERFORM set_config('idle_in_transaction_session_timeout', '30s', true)
    WHERE current_setting('idle_in_transaction_session_timeout') = '0';
    PERFORM FROM goal_store.ledger WHERE ledger.ledger = number FOR UPDATE;
    RETURN QUERY
    SELECT line.seq, line.ends, line.bytes FROM goal_store.line
    WHERE line.ledger = number AND line.ends >= at_least
    ORDER BY line.ends LIMIT most;
END
$$;

-- Appends lines, all or none, behind this end of the ledger; gives the end behind them. It takes the
-- turn where the caller has none, so nobody appends in the turn of another. Where `once` is true the
-- line must not be there yet. With a goal, only under its lease with this token.
CREATE FUNCTION goal_store.append(
    of_ledger text, behind bigint, new_lines bytea[], once boolean[],
    of_goal text, with_token bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, true);
    last_seq bigint;
    last_ends bigint;
    holds boolean;
    nul constant bytea := decode('00', 'hex');
    line_end constant bytea := decode('0a', 'hex');
    new_end bigint;
BEGIN
    PERFORM FROM goal_store.ledger WHERE ledger.ledger = number FOR UPDATE;
    SELECT line.seq, line.ends INTO last_seq, last_ends FROM goal_store.line
    WHERE line.ledger = number ORDER BY line.seq DESC LIMIT 1;
    IF coalesce(last_ends, 0) IS DISTINCT FROM behind THEN
        RAISE EXCEPTION 'the ledger''s end is another one' USING ERRCODE = 'GL002';
    END IF;
    IF of_goal IS NOT NULL THEN
        -- The lock keeps everybody from acquiring the lease until the append is committed.
        SELECT lease.token = with_token AND lease.holder IS NOT NULL AND lease.role = session_user
            AND lease.ends > clock_timestamp() INTO holds
        FROM goal_store.lease WHERE lease.ledger = number AND lease.goal = of_goal FOR SHARE;
        IF holds IS NOT TRUE THEN
            RAISE EXCEPTION 'the lease of goal % is over, or somebody else has it', of_goal
                USING ERRCODE = 'GL003';
        END IF;
    END IF;
    -- Whoever reads the ledger can read UTF-8 only: `length` refuses what is none. To the server a NUL
    -- is none, to others it is.
    IF cardinality(new_lines) IS DISTINCT FROM cardinality(once) OR EXISTS (
        SELECT FROM unnest(new_lines) AS new (line)
        WHERE line IS NULL OR octet_length(line) > 8388608 OR position(line_end IN line) > 0
           OR length(CASE WHEN position(nul IN line) = 0 THEN line ELSE (
                SELECT coalesce(string_agg(substr(line, at, 1), ''::bytea ORDER BY at), ''::bytea)
                FROM generate_series(1, octet_length(line)) AS at
                WHERE get_byte(line, at - 1) <> 0) END, 'UTF8') IS NULL)
    THEN
        RAISE EXCEPTION 'a line is at most 8 MiB long, and has no line end in it'
            USING ERRCODE = '22023';
    END IF;
    WITH inserted AS (
        INSERT INTO goal_store.line (ledger, seq, ends, digest, bytes)
        SELECT number, coalesce(last_seq, 0) + place,
               behind + sum(octet_length(new.line) + 1) OVER (ORDER BY place),
               CASE WHEN new.once THEN sha256(new.line) END, new.line
        FROM unnest(new_lines, once) WITH ORDINALITY AS new (line, once, place)
        RETURNING line.ends)
    SELECT max(inserted.ends) INTO new_end FROM inserted;
    RETURN coalesce(new_end, behind);
END
$$;

-- How long a lease lasts: a holder that is gone must not keep a goal for ever.
CREATE FUNCTION goal_store.term(ttl_ms bigint) RETURNS interval
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF ttl_ms BETWEEN 1 AND 86400000 THEN
        RETURN ttl_ms * interval '1 millisecond';
    END IF;
    RAISE EXCEPTION 'a lease lasts from 1 ms to 1 day' USING ERRCODE = '22023';
END
$$;

-- Acquires the lease of a goal for so many milliseconds. The server says who the holder is and when
-- the time is over: `label` is only what people are shown. Gives the token, or nothing for it and who
-- has the lease. Of several who ask at once exactly one finds it free: the lock on the row is taken
-- before the clock is read.
CREATE FUNCTION goal_store.acquire(of_ledger text, of_goal text, label text, ttl_ms bigint)
RETURNS TABLE (token bigint, holder text, left_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, true);
    term interval := goal_store.term(ttl_ms);
BEGIN
    IF of_goal IS NULL OR octet_length(of_goal) > 200 OR label IS NULL OR octet_length(label) > 1000
    THEN
        RAISE EXCEPTION 'a goal or a holder is missing, or too long' USING ERRCODE = '22023';
    END IF;
    RETURN QUERY
    INSERT INTO goal_store.lease AS lease (ledger, goal, token, holder, role, ends)
    VALUES (number, of_goal, 1, label, session_user, clock_timestamp() + term)
    ON CONFLICT ON CONSTRAINT lease_pkey DO UPDATE
    SET token = lease.token + 1, holder = excluded.holder, role = excluded.role,
        ends = clock_timestamp() + term
    WHERE lease.holder IS NULL OR lease.ends <= clock_timestamp()
       OR (lease.holder = excluded.holder AND lease.role = excluded.role)
    RETURNING lease.token, lease.holder, ttl_ms;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT NULL::bigint, lease.holder || ' (' || lease.role || ')',
               greatest(0, extract(epoch FROM lease.ends - clock_timestamp()) * 1000)::bigint
        FROM goal_store.lease
        WHERE lease.ledger = number AND lease.goal = of_goal AND lease.holder IS NOT NULL;
    END IF;
END
$$;

-- Prolongs the lease with this token, of the user who acquired it.
CREATE FUNCTION goal_store.renew(of_ledger text, of_goal text, with_token bigint, ttl_ms bigint)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, true);
    term interval := goal_store.term(ttl_ms);
    current_token bigint;
BEGIN
    UPDATE goal_store.lease SET ends = clock_timestamp() + term
    WHERE lease.ledger = number AND lease.goal = of_goal AND lease.token = with_token
      AND lease.holder IS NOT NULL AND lease.role = session_user
    RETURNING lease.token INTO current_token;
    IF current_token IS NULL THEN
        RAISE EXCEPTION 'the lease of goal % is over, or somebody else has it', of_goal
            USING ERRCODE = 'GL003';
    END IF;
    RETURN current_token;
END
$$;

-- Gives the lease with this token back. The token grows, so that it cannot be renewed.
CREATE FUNCTION goal_store.release(of_ledger text, of_goal text, with_token bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number bigint := goal_store.permitted(of_ledger, true);
    next_token bigint;
BEGIN
    UPDATE goal_store.lease SET holder = NULL, token = lease.token + 1
    WHERE lease.ledger = number AND lease.goal = of_goal AND lease.token = with_token
      AND lease.holder IS NOT NULL AND lease.role = session_user
    RETURNING lease.token INTO next_token;
    IF next_token IS NULL THEN
        RAISE EXCEPTION 'the lease of goal % is over, or somebody else has it', of_goal
            USING ERRCODE = 'GL003';
    END IF;
    RETURN next_token;
END
$$;

-- A new function is everybody's unless somebody says otherwise.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA goal_store FROM PUBLIC;
