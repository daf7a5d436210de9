@0xd3a1c7b4e92f5086;
# What config.capnp is told of your networks. Edit the copy that stands beside your bundles.

# Where PostgreSQL, Redis and the consumer are. Functions reach nothing else, and callers' URLs never lead here.
const backplane :List(Text) = ["127.0.0.1/32", "::1/128"];

# Who may sign the certificates of PostgreSQL, Redis and the consumer, besides those that browsers trust:
#   [embed "ca.pem"]
const trusted :List(Text) = [];

# Where callbacks and alerts may go. Name private networks here and in ASSAY_ALLOW_CALLBACK_NETWORKS.
const outside :List(Text) = ["public"];
