CREATE TABLE "data_key" (
	"id" text PRIMARY KEY NOT NULL,
	"position" integer GENERATED ALWAYS AS IDENTITY (sequence name "data_key_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "data_key_wrap" (
	"data_key_id" text NOT NULL,
	"master_key_id" text NOT NULL,
	"wrapped" text NOT NULL,
	"position" integer GENERATED ALWAYS AS IDENTITY (sequence name "data_key_wrap_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "data_key_wrap_data_key_id_master_key_id_pk" PRIMARY KEY("data_key_id","master_key_id")
);
--> statement-breakpoint
ALTER TABLE "downstream_authorization" DROP CONSTRAINT "downstream_authorization_connector_id_issuer_kind_pk";--> statement-breakpoint
ALTER TABLE "downstream_authorization" ADD COLUMN "principal" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "downstream_authorization" ADD CONSTRAINT "downstream_authorization_connector_id_principal_issuer_kind_pk" PRIMARY KEY("connector_id","principal","issuer","kind");--> statement-breakpoint
ALTER TABLE "data_key_wrap" ADD CONSTRAINT "data_key_wrap_data_key_id_data_key_id_fk" FOREIGN KEY ("data_key_id") REFERENCES "public"."data_key"("id") ON DELETE cascade ON UPDATE no action;