-- Tables of version 2 and one session in them, as the release before checksums wrote them.
CREATE SCHEMA "palimpsest";
CREATE TABLE "palimpsest"."versions" (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE "palimpsest"."sessions" (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  last_activity bigint NOT NULL DEFAULT 0,
  header text,
  metadata text NOT NULL DEFAULT '{}',
  first_prompt text,
  lease_token bigint NOT NULL DEFAULT 0,
  lease_owner text,
  lease_holder text,
  lease_until timestamptz,
  trashed_at bigint,
  trash_reason text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX sessions_live ON "palimpsest"."sessions" (scope, session_id) WHERE trashed_at IS NULL;
CREATE UNIQUE INDEX sessions_trashed ON "palimpsest"."sessions" (scope, session_id) WHERE trashed_at IS NOT NULL;
CREATE INDEX sessions_latest ON "palimpsest"."sessions" (scope, last_activity DESC, session_id)
  WHERE trashed_at IS NULL AND last_seq > 0;
CREATE TABLE "palimpsest"."entries" (
  session_key bigint NOT NULL REFERENCES "palimpsest"."sessions" (key) ON DELETE CASCADE,
  seq bigint NOT NULL,
  is_checkpoint boolean NOT NULL,
  bytes integer NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (session_key, seq)
);
CREATE INDEX entries_checkpoints ON "palimpsest"."entries" (session_key, seq) WHERE is_checkpoint;
CREATE TABLE "palimpsest"."blobs" (
  session_key bigint NOT NULL REFERENCES "palimpsest"."sessions" (key) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (session_key, hash)
);
CREATE TABLE "palimpsest"."notes" (
  session_key bigint PRIMARY KEY REFERENCES "palimpsest"."sessions" (key) ON DELETE CASCADE,
  content bytea NOT NULL
);
INSERT INTO "palimpsest"."versions" (version) VALUES (1), (2);
INSERT INTO "palimpsest"."sessions" (scope, session_id, last_seq, bytes, last_activity, header, metadata, first_prompt, lease_token, created_at) VALUES
  ('["acme",null]', 'old-session', 9, 1525, 1795407282306, '{"type":"header","seq":1,"id":"old001","at":1767225601000,"sessionId":"old-session","createdBy":"palimpsest","scope":{"tenant":"acme"}}', '{"title":"Harbour"}', '"What is in the harbour?"', 1, '2026-01-01T00:00:00Z');
INSERT INTO "palimpsest"."entries" (session_key, seq, is_checkpoint, bytes, body) VALUES
  (1, 1, false, 135, '{"type":"header","seq":1,"id":"old001","at":1767225601000,"sessionId":"old-session","createdBy":"palimpsest","scope":{"tenant":"acme"}}'),
  (1, 2, false, 112, '{"type":"metadata","seq":2,"id":"old002","parentId":"old001","at":1767225601000,"key":"title","value":"Harbour"}'),
  (1, 3, false, 154, '{"type":"message","seq":3,"id":"old003","parentId":"old002","at":1767225601000,"role":"user","content":[{"type":"text","text":"What is in the harbour?"}]}'),
  (1, 4, false, 254, '{"type":"call","seq":4,"id":"old004","parentId":"old003","at":1767225605000,"model":"claude-sonnet-4-5","system":{"hash":"8dd67b2f5bf42ab3ad373f9d222ed2411bf6c8fb20ad5777a1c7b3f774f2e1c8","bytes":11},"estimatedTokens":16,"fixedTokens":3.7699999999999996}'),
  (1, 5, false, 160, '{"type":"message","seq":5,"id":"old005","parentId":"old004","at":1767225606000,"role":"assistant","responseId":"m1","content":[{"type":"text","text":"Ships."}]}'),
  (1, 6, false, 78, '{"type":"answer","seq":6,"id":"old006","parentId":"old005","at":1767225606000}'),
  (1, 7, false, 140, '{"type":"message","seq":7,"id":"old007","parentId":"old006","at":1767225607000,"role":"user","content":[{"type":"text","text":"How many?"}]}'),
  (1, 8, true, 380, '{"type":"checkpoint","seq":8,"id":"old008","parentId":"old007","at":1767225608000,"runs":[{"from":3,"to":7,"position":3}],"line":[{"from":1,"to":7}],"undone":[],"pins":[],"visibleCount":3,"usageAnchor":{"ledger":{"model":"claude-sonnet-4-5","ratios":{"unknown":[],"claude-sonnet-4-5":[]}},"fixedTokens":3.7699999999999996},"carried":{"sentCount":1,"metadata":{"title":"Harbour"}}}'),
  (1, 9, false, 112, '{"type":"metadata","seq":9,"id":"old009","parentId":"old008","at":1767225609000,"key":"title","value":"Harbour"}');
INSERT INTO "palimpsest"."blobs" (session_key, hash, content) VALUES
  (1, '8dd67b2f5bf42ab3ad373f9d222ed2411bf6c8fb20ad5777a1c7b3f774f2e1c8', convert_to('You answer.', 'UTF8'));
