-- Why: a store with checksums of its own gives no damaged object at all, so that it can be neither missing nor compared.
-- needs: 24

ALTER TABLE media_damage DROP CONSTRAINT media_damage_problem_check;
ALTER TABLE media_damage ADD CONSTRAINT media_damage_problem_check CHECK (problem IN ('missing', 'digest_mismatch', 'unreadable'));
