-- Why: the row that a service writes late tells that it stored objects late. But some write none: another instance has processed the event
-- meanwhile, or there is nothing left to settle. Their objects stayed for good. They now call a function.
-- needs: 24

-- upload-sync looks again for the objects of the capture, if it was withdrawn. With the owner's rights, since services may not write there.
CREATE FUNCTION rial_objects_came_late(capture uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE withdrawals SET erased_at = NULL, erase_next_at = now() WHERE capture_id = capture;
END
$$;
REVOKE EXECUTE ON FUNCTION rial_objects_came_late(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rial_objects_came_late(uuid)
    TO rial_attestation_verifier, rial_depth_analyzer, rial_upload_sync, rial_evidence_assembler;

-- What runs with the owner's rights looks nowhere but here.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rial_objects_came_late(uuid) SET search_path = %I, pg_temp', current_schema());
END
$$;
