import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("The rate of a device's captures")
    struct APIRates {
        @Test("is one token bucket for two gateways, debited only after a valid signature", .timeLimit(.minutes(5)))
        func captures() async throws {
            let stack = try LocalStack.required()
            let settings = ["RIAL_LIMIT_CAPTURES_PER_HOUR": "10", "RIAL_LIMIT_CAPTURES_BURST": "3"]
            let gateways = [try await stack.startGateway(4, settings: settings), try await stack.startGateway(5, settings: settings)]
            var device = try await TestClient.current().device()
            // Requests with the device's id but an invalid signature consume no tokens.
            for index in 0..<6 {
                let forged = try await gateways[index % 2].submit(&device, CaptureParts().form(assertion: nil)) { _, body in
                    body[body.count / 2] ^= 1
                }
                APIRefusal.signatureInvalid.expectEnvelope(forged)
            }
            var answers: [Answer] = []
            for index in 0..<5 { answers.append(try await gateways[index % 2].submit(&device, CaptureParts().form(assertion: nil))) }
            #expect(answers.map(\.status) == [201, 201, 201, 429, 429])
            #expect(answers.prefix(3).map { $0.headers["ratelimit-remaining"] } == ["2", "1", "0"])
            #expect(answers.allSatisfy { $0.headers["ratelimit-limit"] == "3" })
            for answer in answers.suffix(2) {
                APIRefusal.rateLimited.expectEnvelope(answer)
                // The limit is one token in six minutes.
                #expect((300...360).contains(Int(answer.headers["retry-after"] ?? "") ?? 0))
                #expect((Int(answer.headers["ratelimit-reset"] ?? "") ?? 0) > 0)
            }
            // Another device has its own bucket.
            var other = try await TestClient.current().device()
            #expect(try await gateways[0].submit(&other, CaptureParts().form(assertion: nil)).status == 201)
            try await APIErrors.forgetFailures()
            for number in [4, 5] { try await stack.control("stop", "gateway", number) }
        }

        @Test("has a smaller burst for unverified devices, and one token bucket per address", .timeLimit(.minutes(5)))
        func unverified() async throws {
            let stack = try LocalStack.required()
            let gateway = try await stack.startGateway(
                4,
                settings: [
                    "RIAL_LIMIT_CAPTURES_PER_HOUR": "10", "RIAL_LIMIT_CAPTURES_BURST": "5", "RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST": "2",
                    "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "6", "RIAL_TRUSTED_PROXIES": "127.0.0.1/32",
                ])
            let client = try TestClient.current()
            var unverified = try await client.device(defect: .otherRoot)
            var verified = try await client.device()
            // Random addresses: buckets of an earlier run would be half empty.
            let addresses = (0..<2).map { "198.51.\(Int.random(in: 0...255)).\($0)" }
            func send(_ device: inout SimulatedDevice, _ address: Int) async throws -> Answer {
                try await gateway.submit(&device, CaptureParts().form(assertion: nil)) { headers, _ in
                    headers.append(("X-Forwarded-For", addresses[address]))
                }
            }
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await send(&unverified, 0).status) }
            #expect(statuses == [201, 201, 429])
            // Four tokens are left for the address, five for the device.
            statuses = []
            for _ in 0..<5 { statuses.append(try await send(&verified, 0).status) }
            #expect(statuses == [201, 201, 201, 201, 429])
            APIRefusal.rateLimited.expectEnvelope(try await send(&verified, 0), "the address")
            #expect(try await send(&verified, 1).status == 201)
            APIRefusal.rateLimited.expectEnvelope(try await send(&verified, 1), "the device")
            try await stack.control("stop", "gateway", 4)
        }

        @Test("registrations of one address share a token bucket too", .timeLimit(.minutes(5)))
        func registrations() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let gateway = try await stack.startGateway(4, settings: ["RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "2"])
            var statuses: [Int] = []
            for _ in 0..<3 {
                let body = try client.registration(SimulatedDevice(), challenge: await client.challenge())
                let answer = try await gateway.register(body)
                if answer.status == 429 { APIRefusal.rateLimited.expectEnvelope(answer) }
                statuses.append(answer.status)
            }
            #expect(statuses == [201, 201, 429])
            try await stack.control("stop", "gateway", 4)
        }
    }
}
