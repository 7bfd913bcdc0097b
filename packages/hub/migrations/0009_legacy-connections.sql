CREATE TABLE "legacy_connection" (
	"id" text PRIMARY KEY NOT NULL,
	"is_closed" boolean DEFAULT false NOT NULL,
	"caller" text,
	"subscriptions" text DEFAULT '[]' NOT NULL,
	"log_level" text,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "legacy_connection_expiry" ON "legacy_connection" USING btree ("is_closed","expires_at");