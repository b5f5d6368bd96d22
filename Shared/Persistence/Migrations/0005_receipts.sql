-- Why: Apple's receipt is judged apart from the attestation that carries it, and its outcome is kept apart.

ALTER TABLE devices ADD COLUMN receipt_status text NOT NULL DEFAULT 'none'
    CHECK (receipt_status IN ('none', 'verified', 'receipt_invalid', 'receipt_mismatch', 'receipt_stale'));
