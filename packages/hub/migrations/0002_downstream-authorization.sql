CREATE TABLE "downstream_authorization" (
	"connector_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"kind" text NOT NULL,
	"server_url" text NOT NULL,
	"sealed" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "downstream_authorization_connector_id_issuer_kind_pk" PRIMARY KEY("connector_id","issuer","kind")
);
--> statement-breakpoint
ALTER TABLE "connector" ADD COLUMN "oauth" jsonb;--> statement-breakpoint
ALTER TABLE "downstream_authorization" ADD CONSTRAINT "downstream_authorization_connector_id_connector_id_fk" FOREIGN KEY ("connector_id") REFERENCES "public"."connector"("id") ON DELETE cascade ON UPDATE no action;