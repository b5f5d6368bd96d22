-- Why: what newer systems attest of the app is judged at each appraisal, and revoking a device leaves a trace and can be taken back.

-- Of the attestation, from iOS 27 on: how the app was distributed, and which build it is.
ALTER TABLE devices
    ADD COLUMN validation_category bigint CHECK (validation_category BETWEEN 0 AND 4294967295),
    ADD COLUMN bundle_version text;

-- Written by attestation-verifier: each use of an operator's route. Nobody changes or deletes a row.
CREATE TABLE device_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id uuid NOT NULL REFERENCES devices,
    action text NOT NULL CHECK (action IN ('revoked', 'restored')),
    at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL,
    reason text
);
CREATE INDEX device_events_device_id ON device_events (device_id, id);

GRANT SELECT, INSERT ON device_events TO rial_attestation_verifier;
