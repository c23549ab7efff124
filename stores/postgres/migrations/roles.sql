DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'goal_reader') THEN
        CREATE ROLE goal_reader NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'goal_writer') THEN
        CREATE ROLE goal_writer NOLOGIN;
    END IF;
END
$$;
-- Neither role has a right to a table. What a user may do with a ledger, `goal_store.member` says.
GRANT USAGE ON SCHEMA goal_store TO goal_reader, goal_writer;
GRANT SELECT ON goal_store.migration, goal_store.mine, goal_store.event, goal_store.goal
    TO goal_reader, goal_writer;
GRANT EXECUTE ON FUNCTION goal_store.object, goal_store.lines, goal_store.tip, goal_store.ledgers
    TO goal_reader, goal_writer;
GRANT EXECUTE ON FUNCTION goal_store.create_ledger, goal_store.grant_right,
    goal_store.revoke_right, goal_store.begin_turn, goal_store.append, goal_store.acquire,
    goal_store.renew, goal_store.release
    TO goal_writer;
