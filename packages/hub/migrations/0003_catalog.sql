CREATE TABLE "catalog_descriptor" (
	"hash" text PRIMARY KEY NOT NULL,
	"descriptor" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "catalog_drift" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "catalog_drift_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"report" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "catalog_snapshot" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "catalog_snapshot_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"tools" text[] NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "override_base" (
	"connector_id" text NOT NULL,
	"tool" text NOT NULL,
	"field" text NOT NULL,
	"base" jsonb,
	"override" jsonb,
	CONSTRAINT "override_base_connector_id_tool_field_pk" PRIMARY KEY("connector_id","tool","field")
);
--> statement-breakpoint
CREATE TABLE "tool_override" (
	"server" text NOT NULL,
	"tool" text NOT NULL,
	"override" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_override_server_tool_pk" PRIMARY KEY("server","tool")
);
--> statement-breakpoint
CREATE TABLE "pin" (
	"connector_id" text NOT NULL,
	"tool" text NOT NULL,
	"approved_hash" text,
	"approved_at" timestamp with time zone,
	"hash" text NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"risk" text,
	CONSTRAINT "pin_connector_id_tool_pk" PRIMARY KEY("connector_id","tool")
);
--> statement-breakpoint
CREATE TABLE "pinned_descriptor" (
	"hash" text PRIMARY KEY NOT NULL,
	"descriptor" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schema_status" (
	"connector_id" text NOT NULL,
	"tool" text NOT NULL,
	"hash" text NOT NULL,
	"exposed" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "schema_status_connector_id_tool_pk" PRIMARY KEY("connector_id","tool")
);
--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "mode" text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "view" text;--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "metadata" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "schemas" text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "fallbacks" text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
CREATE INDEX "catalog_snapshot_kind" ON "catalog_snapshot" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "pin_hash" ON "pin" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "pin_approved_hash" ON "pin" USING btree ("approved_hash");