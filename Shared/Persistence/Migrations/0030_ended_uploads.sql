-- Why: of an upload that has ended nobody needs its body's digest, and a withdrawal does not find it where the capture was made of the same
-- body sent in one request. It is forgotten at the end.
-- needs: 24

CREATE FUNCTION rial_forget_body() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.body_sha256 := sha256(NEW.token_sha256);
    RETURN NEW;
END
$$;
CREATE TRIGGER uploads_ended BEFORE UPDATE ON uploads
    FOR EACH ROW WHEN (OLD.state <> 'ended' AND NEW.state = 'ended') EXECUTE FUNCTION rial_forget_body();
UPDATE uploads SET body_sha256 = sha256(token_sha256) WHERE state = 'ended';
