-- Why: the page of a capture says who signed its Content Credentials; the certificate may be another by then.
-- The organization of the leaf's subject, as readers of the credentials show it; NULL for those from before it was kept.
ALTER TABLE content_credentials ADD COLUMN issuer text;
