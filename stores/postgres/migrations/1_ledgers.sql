CREATE TABLE goal_store.ledger (
    ledger bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Never changed. Whoever may change it may lock the row, and the lock is the turn.
    turn boolean NOT NULL DEFAULT false
);

CREATE TABLE goal_store.line (
    ledger bigint NOT NULL REFERENCES goal_store.ledger,
    seq bigint NOT NULL,
    -- The offset behind the line and its line end, in bytes.
    ends bigint NOT NULL,
    id text COLLATE "C",
    bytes bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT line_seq PRIMARY KEY (ledger, seq),
    CONSTRAINT line_ends UNIQUE (ledger, ends),
    CONSTRAINT line_id UNIQUE (ledger, id)
);

CREATE TABLE goal_store.lease (
    ledger bigint NOT NULL REFERENCES goal_store.ledger,
    goal text COLLATE "C" NOT NULL,
    -- Grows with every holder, and is never smaller than before.
    token bigint NOT NULL,
    -- NULL after the lease was given back.
    holder text,
    ends timestamptz NOT NULL,
    PRIMARY KEY (ledger, goal)
);

-- The object of a line; NULL of a line that is none.
CREATE FUNCTION goal_store.object(bytes bytea) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN convert_from(bytes, 'UTF8')::jsonb;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END
$$;

-- Each line as it can be asked about; `status` where it changes the status of its goal.
CREATE VIEW goal_store.event AS
SELECT ledger.name AS ledger, line.seq, line.at AS appended, line.id,
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
JOIN goal_store.ledger USING (ledger)
CROSS JOIN LATERAL goal_store.object(line.bytes) AS object;

-- Each goal: its words, how many events it has, and what its last change of status says.
-- This is file order, for dashboards. `goal` itself replays the lines.
CREATE VIEW goal_store.goal AS
SELECT ledger, goal,
       (array_agg(object ->> 'objective' ORDER BY seq DESC)
           FILTER (WHERE object ->> 'objective' IS NOT NULL))[1] AS objective,
       count(*) AS events,
       (array_agg(status ORDER BY seq DESC) FILTER (WHERE status IS NOT NULL))[1] AS status,
       max(appended) AS last_appended
FROM goal_store.event
WHERE goal IS NOT NULL
GROUP BY ledger, goal;
