/// Requests to a witness with the answers of another implementation, as in `data/tlog/witness-requests.json`.
public struct WitnessTranscript: Decodable, Sendable {
    public struct Request: Decodable, Sendable {
        public let name: String
        public let body: String
        public let status: Int
        public let answer: String?
    }

    /// The log's verifier key.
    public let log: String
    public let requests: [Request]
}
