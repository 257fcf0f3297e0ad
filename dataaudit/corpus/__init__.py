"""Files in, batches of documents and a ledger of faults out."""
