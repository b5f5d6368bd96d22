-- Why: every service connects with a role of its own that holds just the rights it needs (SPEC §1).
-- The roles exist already where an operator made them with passwords; else they are made here, unable to log in until
-- a password is set.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'rial_gateway', 'rial_attestation_verifier', 'rial_depth_analyzer', 'rial_upload_sync', 'rial_evidence_assembler'
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I LOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database of the same cluster is being migrated at this moment
            END;
        END IF;
    END LOOP;
END
$$;
