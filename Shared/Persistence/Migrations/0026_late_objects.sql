-- Why: a service that has a capture in hand for longer than an hour after its withdrawal stores objects when nobody looks for any more.
-- They stayed for good. Its row, which is left out, now tells.
-- needs: 24

-- Lets nothing of a withdrawn capture in: as before, and upload-sync looks for its objects again, since they are stored before their row.
-- Also before it is erased: a last look that goes on meanwhile may have been too early, and the update waits for what that notes.
CREATE OR REPLACE FUNCTION rial_guard_withdrawn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF (SELECT status FROM captures WHERE id = NEW.capture_id FOR KEY SHARE) = 'withdrawn' THEN
        UPDATE withdrawals SET erased_at = NULL, erase_next_at = now() WHERE capture_id = NEW.capture_id;
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

-- What runs with the owner's rights looks nowhere but here. Replacing a function forgets its path.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rial_guard_withdrawn() SET search_path = %I, pg_temp', current_schema());
END
$$;
