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
GRANT USAGE ON SCHEMA goal_store TO goal_reader, goal_writer;
GRANT SELECT ON ALL TABLES IN SCHEMA goal_store TO goal_reader, goal_writer;
-- Neither role may change or remove a line.
GRANT INSERT ON goal_store.ledger, goal_store.line TO goal_writer;
-- The lock on a ledger's row needs the right to change it; nothing else of the row may change.
GRANT UPDATE (turn) ON goal_store.ledger TO goal_writer;
GRANT INSERT, UPDATE ON goal_store.lease TO goal_writer;
