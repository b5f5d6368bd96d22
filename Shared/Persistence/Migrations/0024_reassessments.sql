-- Why: an operator may have captures assessed again by the present methods, over the stored bytes (SPEC §14). The rows are what is due, so no
-- event can ask for it. The record keeps its earlier verdict as a statement.

-- Inserted by an operator with the owner's role, one row per capture, which a later request renews. depth-analyzer measures, evidence-assembler
-- assesses; what was settled stays settled.
CREATE TABLE reassessments (
    capture_id uuid PRIMARY KEY REFERENCES captures,
    requested_at timestamptz NOT NULL DEFAULT now(),
    -- When an instance of depth-analyzer took it. Another one takes it if nothing came of it.
    taken_at timestamptz,
    -- The findings by the present method.
    depth jsonb,
    settled_at timestamptz,
    -- `reassessed`, `unchanged`, `revoked` (its verdict was taken back and stays so), or why it cannot be assessed again.
    outcome text CHECK (outcome ~ '^[a-z_]{1,64}$'),
    CHECK ((settled_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX reassessments_to_measure ON reassessments (requested_at) WHERE settled_at IS NULL AND depth IS NULL;
CREATE INDEX reassessments_to_assess ON reassessments (requested_at) WHERE settled_at IS NULL AND depth IS NOT NULL;
CREATE TRIGGER reassessments_withdrawn BEFORE INSERT ON reassessments FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
GRANT SELECT, UPDATE (taken_at, depth, settled_at, outcome) ON reassessments TO rial_depth_analyzer;
GRANT SELECT, UPDATE (settled_at, outcome) ON reassessments TO rial_evidence_assembler;

CREATE FUNCTION rial_guard_reassessments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.settled_at IS NOT NULL THEN PERFORM rial_refuse('settle a reassessment again'); END IF;
    IF OLD.depth IS NOT NULL AND NEW.depth IS DISTINCT FROM OLD.depth THEN PERFORM rial_refuse('replace findings'); END IF;
    IF current_user <> 'rial_evidence_assembler' AND NEW.outcome IN ('reassessed', 'unchanged', 'revoked') THEN
        PERFORM rial_refuse('say that a capture was assessed again');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER reassessments_guard BEFORE UPDATE ON reassessments
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_reassessments();

-- A withdrawal takes these rows as well; the rest of the function stays as it is.
DO $$
DECLARE
    definition text := pg_get_functiondef('rial_withdraw(uuid, text)'::regprocedure);
    known text := '''content_credentials'', ''media_damage''';
BEGIN
    IF position(known IN definition) = 0 THEN RAISE EXCEPTION 'rial_withdraw names no tables'; END IF;
    EXECUTE replace(definition, known, known || ', ''reassessments''');
END
$$;

-- Whether an operator asked for another verdict, and depth-analyzer has measured what it is about.
CREATE FUNCTION rial_is_reassessed(capture uuid, place text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    is_due boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I.reassessments WHERE capture_id = $1 AND settled_at IS NULL AND depth IS NOT NULL)', place)
        INTO is_due USING capture;
    RETURN is_due;
END
$$;

-- As before; and the confidence may change by a reassessment.
CREATE OR REPLACE FUNCTION rial_guard_captures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'processing' OR num_nonnulls(NEW.failure, NEW.confidence_level, NEW.evidence, NEW.completed_at) > 0 THEN
            PERFORM rial_refuse('record a capture with a verdict');
        END IF;
    ELSIF OLD.status = 'withdrawn' THEN
        -- As in rial_guard_withdrawn: whoever had it in hand goes on.
        RETURN NULL;
    ELSIF NEW.status = 'withdrawn' THEN
        PERFORM rial_refuse('withdraw a capture');
    ELSIF OLD.status = 'complete' THEN
        IF (NEW.status, NEW.completed_at, NEW.failure) IS DISTINCT FROM (OLD.status, OLD.completed_at, OLD.failure)
            OR NEW.confidence_level IS DISTINCT FROM OLD.confidence_level
                AND (NEW.confidence_level IS NULL OR NOT rial_is_reassessed(NEW.id, TG_TABLE_SCHEMA)) THEN
            PERFORM rial_refuse('change the verdict on a complete capture');
        END IF;
    END IF;
    RETURN NEW;
END
$$;

-- The card shows the confidence, so a reassessment draws it anew. Nothing else that is named becomes another object.
GRANT UPDATE (object_key, sha256, size_bytes) ON media_objects TO rial_evidence_assembler;
CREATE FUNCTION rial_guard_media_replacement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.name <> 'og.jpg' OR NOT rial_is_reassessed(NEW.capture_id, TG_TABLE_SCHEMA) THEN
        PERFORM rial_refuse('replace ' || NEW.name);
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER media_objects_replacement BEFORE UPDATE ON media_objects
    FOR EACH ROW WHEN (rial_is_service() AND (OLD.object_key, OLD.sha256, OLD.size_bytes)
        IS DISTINCT FROM (NEW.object_key, NEW.sha256, NEW.size_bytes))
    EXECUTE FUNCTION rial_guard_media_replacement();
-- What is named no more is swept.
CREATE FUNCTION rial_sweep_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE sync_jobs SET derived_swept_at = NULL WHERE capture_id = NEW.capture_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER media_objects_replaced AFTER UPDATE ON media_objects
    FOR EACH ROW WHEN (OLD.object_key <> NEW.object_key) EXECUTE FUNCTION rial_sweep_again();

-- What runs with the owner's rights looks nowhere but here. Replacing a function forgets its path.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['rial_withdraw(uuid, text)', 'rial_sweep_again()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    END LOOP;
END
$$;
