import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("Rate limits")
    struct Limits {
        @Test("two gateways share one bucket, and say when to come back")
        func shared() async throws {
            let stack = try #require(LocalStack.current)
            // Two more gateways with limits; the stack's own has none. The buckets of the address are new to them.
            let settings = ["RIAL_LIMIT_CHALLENGES_PER_MINUTE": "6"]
            var gateways: [TestClient] = []
            for number in [2, 3] {
                try await stack.control("start", "gateway", number, settings: settings)
                let file = SharedData.projectRoot.appendingPathComponent(".local/\(stack.name)/run/gateway.\(number).http")
                let port = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
                gateways.append(TestClient(url: "http://127.0.0.1:\(port)"))
            }
            var answers: [Answer] = []
            for index in 0..<9 { answers.append(try await gateways[index % 2].send("GET", "/api/v1/devices/challenge")) }
            let limited = answers.filter { $0.status == 429 }
            // Six tokens, and at most one more while the requests last.
            #expect((2...3).contains(limited.count), "\(answers.map(\.status))")
            #expect(answers.prefix(6).allSatisfy { $0.status == 200 })
            for answer in limited {
                #expect(answer.errorCode == "RATE_LIMITED")
                #expect(Int(answer.headers["retry-after"] ?? "").map { (1...10).contains($0) } == true)
                #expect(answer.headers["ratelimit-limit"] == "6" && answer.headers["ratelimit-remaining"] == "0")
            }
            for number in [2, 3] { try await stack.control("stop", "gateway", number) }
        }
    }
}
