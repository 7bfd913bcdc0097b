ALTER TABLE "descriptor_snapshot" ADD COLUMN "distinctions" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
-- Servers of both eras were taken for modern ones: what was found so is too old to be believed, and looked at again.
UPDATE "descriptor_snapshot" SET "fetched_at" = 'epoch' WHERE "era" = 'modern';
