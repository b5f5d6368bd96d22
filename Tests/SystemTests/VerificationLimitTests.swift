import Foundation
import Testing

extension SystemTests {
    @Suite("Logs and limits of verifications")
    struct VerificationLimits {
        /// Behind a proxy, so that clients have different addresses.
        private static let proxied = ["RIAL_TRUSTED_PROXIES": "127.0.0.1/32"]

        private func from(_ address: String) -> [(String, String)] { [("X-Forwarded-For", address)] }

        @Test("an address may verify a limited number of files per hour, and as many digests", .timeLimit(.minutes(4)))
        func limits() async throws {
            let settings = Self.proxied.merging(["RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "3"]) { $1 }
            try await VerifyingGatewayTrait(number: 7, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let photo = try ForeignPhoto.plain()
                // Random addresses: buckets of an earlier run would be half empty.
                let (address, other) = ("198.51.\(Int.random(in: 0...255)).7", "203.0.\(Int.random(in: 0...255)).9")
                let file = { (address: String) in try await gateway.verify(photo, headers: from(address)) }
                let hash = { (address: String) in
                    try await gateway.client.send("GET", "/api/v1/verify-hash/\(photo.sha256)", headers: from(address))
                }
                for (send, found) in [(file, 200), (hash, 404)] {
                    var answers: [Answer] = []
                    for _ in 0..<5 { answers.append(try await send(address)) }
                    #expect(answers.map(\.status) == [found, found, found, 429, 429])
                    #expect(answers.prefix(3).map { $0.headers["ratelimit-remaining"] } == ["2", "1", "0"])
                    #expect(answers.allSatisfy { $0.headers["ratelimit-limit"] == "3" })
                    for answer in answers.suffix(2) {
                        APIRefusal.rateLimited.expectEnvelope(answer)
                        // The limit is one token in twenty minutes.
                        #expect((1100...1200).contains(Int(answer.headers["retry-after"] ?? "") ?? 0))
                    }
                    #expect(try await send(other).status == found)
                }
                #expect(try gateway.scratchFiles().isEmpty)
            }
        }

        @Test("a log has digest, time, network and result, but no name and no address", .timeLimit(.minutes(4)))
        func rows() async throws {
            let stack = try LocalStack.required()
            try await VerifyingGatewayTrait(number: 7, settings: Self.proxied).around {
                let gateway = try VerifyingGateway.required()
                let capture = try await SignedCapture.make()
                let name = "holiday-\(UUID().uuidString.lowercased()).jpg"
                let (photo, stranger) = (capture.parts.photo, try ForeignPhoto.plain())
                let changed = try await capture.media("c2pa.jpg") + [0]
                for file in [photo, stranger, changed] { _ = try await gateway.verify(file, name: name, headers: from("203.0.113.77")) }
                for file in [photo, stranger] {
                    let path = "/api/v1/verify-hash/\(file.sha256)"
                    _ = try await gateway.client.send("GET", path, headers: from("2001:db8:1:2::abcd"))
                }
                // Rejected files are not logged as verifications.
                _ = try await gateway.verify(Array("text".utf8), name: name, headers: from("203.0.113.77"))

                #expect(
                    try await stack.verifications(of: photo.sha256) == [
                        "file 203.0.113.0/24 verified \(capture.id)", "hash 20010db80001::/48 verified \(capture.id)",
                    ])
                #expect(
                    try await stack.verifications(of: stranger.sha256) == [
                        "file 203.0.113.0/24 no_record -", "hash 20010db80001::/48 no_record -",
                    ])
                #expect(try await stack.verifications(of: changed.sha256) == ["file 203.0.113.0/24 c2pa_only -"])
                #expect(try await stack.verifications(of: Array("text".utf8).sha256).isEmpty)
                let ages =
                    "SELECT max(abs(extract(epoch FROM now() - asked_at))) < 60 FROM verification_logs WHERE capture_id = '\(capture.id)'"
                #expect(try await stack.sql(ages) == ["t"])
                let whole = try await stack.sql("SELECT row_to_json(verification_logs) FROM verification_logs").joined()
                for secret in [name, "holiday", "203.0.113.77", "::abcd"] { #expect(!whole.contains(secret), "\(secret)") }
                let log = try gateway.log()
                for secret in [name, "203.0.113.77", "2001:db8:1:2::abcd"] { #expect(!log.contains(secret), "\(secret)") }
            }
        }
    }
}
