/** What the signature of a meter receipt covers first (docs/meter#receipts). */
export const RECEIPT_FORMAT = 'svc-meter-receipt-v1';
