-- Why: when videos came (migration 19), all uploads were photos, so their new column got that default. It is still there, and would make a
-- photo of a video whose INSERT forgets the type. Nothing needs it: the gateway has named the type since then.
-- needs: 24

ALTER TABLE uploads ALTER COLUMN type DROP DEFAULT;
