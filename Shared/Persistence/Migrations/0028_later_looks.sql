-- Why: an object that was stored more than an hour after its capture's withdrawal stayed for good if nobody told of it, such as a process that
-- ended behind it. Withdrawn captures are looked at again for good, at growing distances. What is late is so from when it was found.
-- needs: 24

-- Since when objects are to be deleted: the withdrawal, or when the capture became open again.
ALTER TABLE withdrawals ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
GRANT SELECT (opened_at) ON withdrawals TO rial_upload_sync;
-- Those that are erased would all be due at once.
UPDATE withdrawals SET opened_at = withdrawn_at,
    erase_next_at = CASE WHEN erased_at IS NULL THEN erase_next_at ELSE now() + random() * interval '30 days' END;
CREATE INDEX withdrawals_to_look_at ON withdrawals (erase_next_at);

CREATE FUNCTION rial_note_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.opened_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER withdrawals_reopened BEFORE UPDATE OF erased_at ON withdrawals FOR EACH ROW
    WHEN (OLD.erased_at IS NOT NULL AND NEW.erased_at IS NULL) EXECUTE FUNCTION rial_note_reopened();
