import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TransparencyLog

/// A witness behind its submission prefix (c2sp.org/tlog-witness).
struct HTTPWitness: WitnessConnection {
    /// More than a hundred signature lines.
    private static let maximumAnswerBytes = 64 * 1024
    let witness: TrustedWitness
    let address: String
    let client: HTTPClient
    let timeout: Duration

    /// - Returns: `nil` if the policy does not say where the witness is, or no http or https address.
    init?(_ witness: TrustedWitness, client: HTTPClient, timeout: Duration) {
        guard let text = witness.url, let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
            return nil
        }
        self.witness = witness
        self.client = client
        self.timeout = timeout
        address = (text.hasSuffix("/") ? String(text.dropLast()) : text) + "/add-checkpoint"
    }

    func add(_ submission: CheckpointSubmission) async throws -> WitnessReply {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "content-type", value: "text/plain; charset=utf-8")
        request.body = .bytes(ByteBuffer(bytes: submission.bytes))
        let response = try await client.execute(request, timeout: TimeAmount(timeout))
        let body = try await response.body.collect(upTo: Self.maximumAnswerBytes)
        return WitnessReply(status: Int(response.status.code), body: Array(body.readableBytesView))
    }
}
