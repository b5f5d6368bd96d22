-- Why: a service's role writes what is its own and nothing else (SPEC §1). Grants say which columns; where a value decides, a trigger says
-- which values a service may give. The owner is bound by neither: it migrates and mends.

CREATE FUNCTION rial_is_service() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT current_user IN (
        'rial_gateway', 'rial_attestation_verifier', 'rial_depth_analyzer', 'rial_upload_sync', 'rial_evidence_assembler')
$$;

-- Refuses a value. Other than a grant that is missing (42501), which an operator can give, it can never succeed: a record that asks for it
-- must end in the dead letters, not be tried for ever with all behind it.
CREATE FUNCTION rial_refuse(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'permission denied: % may not %', current_user, what USING ERRCODE = 'check_violation';
END
$$;

-- captures: the gateway says what was uploaded; status, confidence and evidence begin empty and are evidence-assembler's.
REVOKE INSERT ON captures FROM rial_gateway;
GRANT INSERT (
    id, short_id, device_id, type, capture_mode, media_sha256, depth_sha256, assertion_sha256, captured_at, uploaded_at, announcement,
    detection, location
) ON captures TO rial_gateway;

CREATE FUNCTION rial_guard_captures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'processing' OR num_nonnulls(NEW.failure, NEW.confidence_level, NEW.evidence, NEW.completed_at) > 0 THEN
            PERFORM rial_refuse('record a capture with a verdict');
        END IF;
    ELSIF OLD.status = 'complete' AND (NEW.status, NEW.confidence_level, NEW.completed_at, NEW.failure)
        IS DISTINCT FROM (OLD.status, OLD.confidence_level, OLD.completed_at, OLD.failure) THEN
        PERFORM rial_refuse('change the verdict on a complete capture');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER captures_guard BEFORE INSERT OR UPDATE ON captures
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_captures();

-- media_objects: each service names its own objects, of the capture, with the type that follows from the name; what is named stays while the
-- capture is complete.
CREATE FUNCTION rial_guard_media_objects() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_complete boolean;
BEGIN
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.captures WHERE id = $1 AND status = ''complete'')', TG_TABLE_SCHEMA)
            INTO is_complete USING OLD.capture_id;
        IF is_complete THEN PERFORM rial_refuse('forget the media of a complete capture'); END IF;
        RETURN OLD;
    END IF;
    IF NOT (NEW.name = ANY (CASE current_user
        WHEN 'rial_upload_sync' THEN ARRAY[
            'original.jpg', 'depth.gz', 'metadata.json', 'public.jpg', 'thumbnail.jpg', 'photo-828.jpg', 'photo-1656.jpg']
        WHEN 'rial_evidence_assembler' THEN ARRAY['depth-preview.png', 'og.jpg', 'c2pa.jpg', 'manifest.c2pa']
        ELSE '{}'::text[] END)) THEN
        PERFORM rial_refuse('name an object ' || NEW.name);
    END IF;
    IF NEW.content_type <> (CASE NEW.name
        WHEN 'depth.gz' THEN 'application/octet-stream' WHEN 'metadata.json' THEN 'application/json'
        WHEN 'depth-preview.png' THEN 'image/png' WHEN 'manifest.c2pa' THEN 'application/c2pa' ELSE 'image/jpeg' END) THEN
        PERFORM rial_refuse('give ' || NEW.name || ' another type');
    END IF;
    IF NOT starts_with(NEW.object_key, 'captures/' || NEW.capture_id || '/') THEN
        PERFORM rial_refuse('name an object of elsewhere');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER media_objects_guard BEFORE INSERT OR UPDATE OR DELETE ON media_objects
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_media_objects();

-- devices: keys and what was attested are written once; the verifier revokes and restores. The gateway reads what it answers and
-- authenticates with, not the attestation.
REVOKE INSERT, UPDATE ON devices FROM rial_attestation_verifier;
GRANT INSERT (
    id, platform, model, has_lidar, os_version, attestation_level, attestation_failure, is_development_root, key_id, public_key,
    request_key_algorithm, request_key, app_id, environment, attestation_object, certificate_chain, receipt, receipt_status,
    validation_category, bundle_version, registered_at
) ON devices TO rial_attestation_verifier;
GRANT UPDATE (revoked_at) ON devices TO rial_attestation_verifier;
REVOKE SELECT ON devices FROM rial_gateway;
GRANT SELECT (
    id, platform, model, has_lidar, os_version, attestation_level, attestation_failure, is_development_root, public_key,
    request_key_algorithm, request_key, app_id, environment, registered_at, revoked_at
) ON devices TO rial_gateway;

-- registrations: an outcome is final, but for one that a fault of ours ended.
REVOKE UPDATE ON registrations FROM rial_attestation_verifier;
GRANT UPDATE (outcome, device_id, attestation_failure) ON registrations TO rial_attestation_verifier;
CREATE FUNCTION rial_guard_registrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM rial_refuse('change the outcome of a registration');
    RETURN NULL;
END
$$;
CREATE TRIGGER registrations_guard BEFORE UPDATE ON registrations
    FOR EACH ROW WHEN (rial_is_service() AND OLD.outcome <> 'failed') EXECUTE FUNCTION rial_guard_registrations();

-- challenges: used once, by one body, whose submission stands.
REVOKE INSERT, UPDATE ON challenges FROM rial_gateway;
GRANT INSERT (challenge, expires_at) ON challenges TO rial_gateway;
GRANT UPDATE (consumed_at, body_sha256, registration_id, announced_at, submission) ON challenges TO rial_gateway;
CREATE FUNCTION rial_guard_challenges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.consumed_at IS NOT NULL AND (NEW.consumed_at, NEW.body_sha256, NEW.registration_id)
        IS DISTINCT FROM (OLD.consumed_at, OLD.body_sha256, OLD.registration_id)
        OR OLD.submission IS NOT NULL AND NEW.submission IS DISTINCT FROM OLD.submission THEN
        PERFORM rial_refuse('use a challenge twice');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER challenges_guard BEFORE UPDATE ON challenges
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_challenges();

-- Findings stand once they are there.
CREATE FUNCTION rial_guard_findings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM rial_refuse('replace findings');
    RETURN NULL;
END
$$;
CREATE TRIGGER attestation_appraisals_guard BEFORE UPDATE ON attestation_appraisals
    FOR EACH ROW WHEN (rial_is_service() AND OLD.result IS NOT NULL) EXECUTE FUNCTION rial_guard_findings();
CREATE TRIGGER depth_analyses_guard BEFORE UPDATE ON depth_analyses
    FOR EACH ROW WHEN (rial_is_service() AND OLD.result IS NOT NULL) EXECUTE FUNCTION rial_guard_findings();
REVOKE UPDATE ON evidence_parts FROM rial_evidence_assembler;
GRANT UPDATE (outcome, reason, result, received_at) ON evidence_parts TO rial_evidence_assembler;
-- Where media lies may change until the capture is complete: what was damaged is copied anew.
CREATE FUNCTION rial_guard_evidence_parts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_complete boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.captures WHERE id = $1 AND status = ''complete'')', TG_TABLE_SCHEMA)
        INTO is_complete USING OLD.capture_id;
    IF is_complete OR OLD.part <> 'media' OR NEW.outcome <> 'done' THEN PERFORM rial_refuse('replace findings'); END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER evidence_parts_guard BEFORE UPDATE ON evidence_parts
    FOR EACH ROW WHEN (rial_is_service() AND OLD.outcome = 'done') EXECUTE FUNCTION rial_guard_evidence_parts();

-- content_credentials: what was signed is written once; digests that a row lacks may be added.
CREATE FUNCTION rial_guard_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) ->> 'manifest_sha256' IS NOT NULL THEN PERFORM rial_refuse('sign another manifest'); END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER content_credentials_guard BEFORE UPDATE ON content_credentials
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_credentials();
