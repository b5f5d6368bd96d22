import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    /// Long with `RIAL_TEST_FAULTS=full`: 20 MB, a cut about every 500 kB, one of the gateways killed at each third.
    @Suite("Resumable uploads over bad networks")
    struct ResumableCuts {
        @Test(
            "a body that is cut at many places, by two gateways in turn, is whole, and hardly any of it is sent twice",
            .timeLimit(.minutes(8)))
        func cuts() async throws {
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            var clients = [client, try await stack.startGateway(6, settings: [:])]
            let seed = SeededGenerator.seed(for: "resumable cuts")
            var random = SeededGenerator(seed: seed)
            var body = try await ResumableBody(client, size: FaultTests.isFull ? 20_000_000 : 4_000_000)
            let path = try await body.created(at: client)
            var (reached, again, kills, cuts, worst, told) = (0, 0, 0, 0, 0, 0)
            while true {
                // Comes back at once, to the other one.
                let other = clients[(cuts + 1) % 2]
                let offset = try await other.offset(of: path)
                #expect(offset <= body.bytes.count && offset >= told, "\(offset) after \(told)")
                told = offset
                let twice = reached - offset
                again += max(0, twice)
                if cuts > 0 { worst = max(worst, twice) }
                cuts += 1
                let exchange = try RawExchange(other)
                let rest = body.bytes.count - offset
                let length = min(rest, Int.random(in: 200_000...800_000, using: &random))
                let fields = TestClient.appending(at: offset, isComplete: true) + [("Content-Length", "\(rest)")]
                try await exchange.send(ResumableBody.head("PATCH", path, fields))
                reached = offset + (try await exchange.send(body.bytes[offset..<offset + length]))
                if FaultTests.isFull, length < rest, cuts.isMultiple(of: 3), cuts.isMultiple(of: 2) == false {
                    // The second gateway has this one.
                    kills += 1
                    try await stack.control("kill", "gateway", 6)
                    clients[1] = try await stack.startGateway(6, settings: [:])
                }
                if length == rest {
                    _ = try await exchange.response(201)
                    break
                }
            }
            let allowed = FaultTests.resent(of: body.bytes.count, cuts: cuts, kills: kills)
            #expect(again <= allowed, "RIAL_TEST_SEED=\(seed): \(again) bytes twice in \(cuts) cuts and \(kills) kills, at worst \(worst)")
            print("resumable cuts: \(body.bytes.count) bytes, \(cuts) cuts, \(kills) kills, \(again) bytes twice, at worst \(worst)")
            let stored = try await client.send("GET", path)
            let id = try #require(stored.data["capture_id"] as? String)
            #expect(try await stack.captures(of: body.device) == 1)
            try await stack.expectNoSegments(of: body.device, "many cuts")
            #expect(try await client.send("GET", "\(TestClient.captures)/\(id)").status == 200)
            try await stack.control("stop", "gateway", 6)
        }

        @Test(
            "32 at once cost a bounded amount of memory", .timeLimit(.minutes(8)),
            .enabled(if: FaultTests.isFull, "in the long form (RIAL_TEST_FAULTS=full)"))
        func memory() async throws {
            let settings = ["RIAL_MAX_CONCURRENT_UPLOADS": "64", "RIAL_MAX_UPLOADS_PER_DEVICE": "0", "RIAL_MAX_UPLOADS_PER_ADDRESS": "0"]
            try await VerifyingGatewayTrait(number: 6, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let client = gateway.client
                let size = 20_000_000
                let first = try await ResumableBody(client, size: size)
                var bodies: [(body: ResumableBody, path: String)] = []
                for _ in 0..<32 {
                    var body = try await ResumableBody(client, sharing: first)
                    bodies.append((body, try await body.created(at: client)))
                }
                try gateway.forgetPeak()
                let before = try gateway.peakMemory()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (body, path) in bodies {
                        group.addTask {
                            let exchange = try RawExchange(client)
                            let fields = TestClient.appending(at: 0, isComplete: false) + [("Content-Length", "\(body.bytes.count)")]
                            try await exchange.send(ResumableBody.head("PATCH", path, fields))
                            // Slower than the store, so that each upload is between two segments most of the time.
                            for start in stride(from: 0, to: body.bytes.count, by: 400_000) {
                                try await exchange.send(body.bytes[start..<min(start + 400_000, body.bytes.count)])
                                try await Task.sleep(for: .milliseconds(200))
                            }
                            _ = try await exchange.response(204)
                        }
                    }
                    try await group.waitForAll()
                }
                let grown = try gateway.peakMemory() - before
                print("resumable memory: \(grown >> 20) MiB for 32 uploads of \(size) bytes")
                // Two segments each, and the copies on their way; all of the bodies would be 640 MB.
                #expect(grown < 32 * (8 << 20), "\(grown >> 20) MiB")
            }
        }
    }
}
