-- Why: registration. A challenge is used once; a key can be attested only once, so the first outcome is kept.

-- Written by gateway.
CREATE TABLE challenges (
    challenge bytea PRIMARY KEY CHECK (octet_length(challenge) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- Set together when a registration body uses the challenge; the same body sent again finds its registration.
    consumed_at timestamptz,
    body_sha256 bytea CHECK (octet_length(body_sha256) = 32),
    registration_id uuid UNIQUE,
    announced_at timestamptz,
    CHECK ((consumed_at IS NULL) = (body_sha256 IS NULL) AND (consumed_at IS NULL) = (registration_id IS NULL))
);
CREATE INDEX challenges_created_at ON challenges (created_at);

-- Written by attestation-verifier.
CREATE TABLE devices (
    id uuid PRIMARY KEY,
    platform text NOT NULL CHECK (platform = 'ios'),
    model text NOT NULL,
    has_lidar boolean NOT NULL,
    os_version text,
    attestation_level text NOT NULL CHECK (attestation_level IN ('secure_enclave', 'unverified')),
    attestation_failure text,
    -- The chain ends at a root that only this installation trusts.
    is_development_root boolean NOT NULL DEFAULT false,
    key_id bytea NOT NULL,
    -- P-256, X9.63 uncompressed; absent for unverified devices.
    public_key bytea CHECK (octet_length(public_key) = 65),
    request_key_algorithm text CHECK (request_key_algorithm IN ('ed25519', 'p256')),
    request_key bytea,
    app_id text,
    environment text CHECK (environment IN ('production', 'development')),
    attestation_object bytea NOT NULL,
    certificate_chain bytea[] NOT NULL DEFAULT '{}',
    receipt bytea,
    registered_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CHECK ((request_key IS NULL) = (request_key_algorithm IS NULL)),
    CHECK (attestation_level = 'secure_enclave' OR request_key IS NOT NULL),
    CHECK ((attestation_level = 'secure_enclave') = (public_key IS NOT NULL)),
    CHECK ((attestation_level = 'unverified') = (attestation_failure IS NOT NULL))
);
-- Unverified registrations reserve nothing, so that nobody can squat on another's key.
CREATE UNIQUE INDEX devices_verified_key_id ON devices (key_id) WHERE attestation_level = 'secure_enclave';

-- Written by attestation-verifier: the first outcome of each registration.
CREATE TABLE registrations (
    id uuid PRIMARY KEY,
    outcome text NOT NULL CHECK (outcome IN ('registered', 'invalid_attestation', 'already_registered', 'failed')),
    device_id uuid REFERENCES devices,
    attestation_failure text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((outcome = 'registered') = (device_id IS NOT NULL))
);

-- Written by attestation-verifier: a (device, counter) pair is used once, ever, and belongs to that capture.
CREATE TABLE assertion_counters (
    device_id uuid NOT NULL REFERENCES devices,
    counter bigint NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    capture_id uuid NOT NULL,
    consumed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device_id, counter)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON challenges TO rial_gateway;
GRANT SELECT ON devices, registrations TO rial_gateway;
GRANT SELECT, INSERT, UPDATE ON devices, registrations TO rial_attestation_verifier;
GRANT SELECT, INSERT ON assertion_counters TO rial_attestation_verifier;
