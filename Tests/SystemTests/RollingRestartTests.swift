import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Rolling restarts", .enabled(if: Balancer.isAvailable, "HAProxy cannot be had here"), .timeLimit(.minutes(8)))
    struct RollingRestarts {
        private static let settings = ["RIAL_DRAIN_SECONDS": "2"]

        @Test("a gateway that is told to end is unready at once, answers on, and then ends")
        func drains() async throws {
            let stack = try LocalStack.required()
            // Long enough for what is asked below, on a slow machine too.
            let client = try await stack.startGateway(7, settings: ["RIAL_DRAIN_SECONDS": "10"])
            let admin = try stack.client(of: "gateway", 7, .admin)
            async let stopped: Void = stack.control("stop", "gateway", 7)
            try await eventually("it is unready") {
                let ready = try await admin.send("GET", "/readyz")
                return ready.status == 503 && ready.json["status"] as? String == "draining"
            }
            let health = try await client.send("GET", "/health")
            #expect(health.status == 503 && health.json["broker"] as? String == "connected")
            var device = try await client.device()
            let answer = try await client.submit(&device, try client.soundForm(&device, CaptureParts()))
            #expect(answer.status == 201 && answer.headers["connection"] == "close")
            try await stopped
            await #expect(throws: (any Error).self) { try await client.send("GET", "/health") }
            _ = try await TestClient.current().settled(try #require(answer.data["capture_id"] as? String))
        }

        @Test(
            "while two gateways behind a balancer and every other service are restarted one by one, no request fails and no capture is lost"
        )
        func underLoad() async throws {
            let stack = try LocalStack.required()
            for number in [7, 8] { _ = try await stack.startGateway(number, settings: Self.settings) }
            let balancer = try await Balancer(before: [7, 8], of: stack)
            let result: Result<[String], any Error>
            do { result = .success(try await Self.load(balancer.client) { try await Self.restartAll(stack, behind: balancer) }) } catch {
                result = .failure(error)
            }
            await balancer.end()
            for number in [7, 8] { try await stack.control("stop", "gateway", number) }
            let ids = try result.get()
            #expect(ids.count > 20)
            for id in ids {
                let capture = try await TestClient.current().settled(id)
                #expect(capture.data["confidence_level"] as? String == "high")
            }
        }

        private static func restartAll(_ stack: LocalStack, behind balancer: Balancer) async throws {
            for number in [7, 8] {
                try await stack.control("restart", "gateway", number, settings: settings)
                try await eventually("the balancer knows that it is ready") { try await balancer.hasAll() }
            }
            // Without waiting until each has caught up.
            for service in LocalStack.services where service != "gateway" { try await stack.control("restart", service) }
        }

        /// Sends captures, reads and looks at pages until the work is done.
        /// - Returns: the ids of all captures, each of which was accepted at its first and only request.
        private static func load(_ client: TestClient, during work: @Sendable @escaping () async throws -> Void) async throws -> [String] {
            let isOver = Flag()
            return try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<3 {
                    let registered = try await client.device()
                    group.addTask {
                        var (device, ids): (_, [String]) = (registered, [])
                        while !isOver.isSet {
                            let answer = try await client.submit(&device, try client.soundForm(&device, CaptureParts()))
                            try #require(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
                            let id = try #require(answer.data["capture_id"] as? String)
                            #expect(try await client.show(id).status == 200)
                            #expect(try await client.send("GET", "/verify-file").status == 200)
                            ids.append(id)
                            try await Task.sleep(for: .milliseconds(400))
                        }
                        return ids
                    }
                }
                group.addTask {
                    defer { isOver.set() }
                    try await work()
                    return []
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
    }
}

/// HAProxy before gateways, which asks each on its admin port whether it is ready.
private struct Balancer: Sendable {
    private static let folder = SharedData.projectRoot.appendingPathComponent(".local/tools/haproxy")
    static var isAvailable: Bool { FileManager.default.fileExists(atPath: folder.appendingPathComponent(".complete").path) }

    /// The path at which it says whether all are there.
    private static let state = "/balancer"

    let client: TestClient
    private let process: Process
    private let settings: URL

    init(before gateways: [Int], of stack: LocalStack) async throws {
        settings = FileManager.default.temporaryDirectory.appendingPathComponent("rial-balancer-\(UUID()).cfg")
        let chosen = try await LocalStack.run(
            "/usr/bin/env", ["python3", SharedData.projectRoot.appendingPathComponent("scripts/stack/ports.py").path, "ANY"], [:])
        let port = try #require(chosen.split(separator: "=").last).trimmingCharacters(in: .whitespacesAndNewlines)
        let servers = try gateways.map {
            "  server gateway-\($0) 127.0.0.1:\(try stack.client(of: "gateway", $0, .http).port) check port \(try stack.client(of: "gateway", $0, .admin).port)"
        }
        try Data(
            """
            defaults
              mode http
              timeout connect 5s
              timeout client 60s
              timeout server 60s
              # Else an answer on a busy machine has only the time between two checks.
              timeout check 5s
            listen gateways
              bind 127.0.0.1:\(port)
              option httpchk GET /readyz
              option http-server-close
              default-server inter 200ms fall 1 rise 1
              http-request return status 200 if { path \(Self.state) } { nbsrv(gateways) ge \(gateways.count) }
              http-request return status 503 if { path \(Self.state) }
            \(servers.joined(separator: "\n"))

            """.utf8
        ).write(to: settings)
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent("usr/sbin/haproxy")
        process.arguments = ["-db", "-f", settings.path]
        let libraries = Self.folder.appendingPathComponent("usr/lib")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
        process.environment = ["LD_LIBRARY_PATH": folders.map { libraries.appendingPathComponent($0).path }.joined(separator: ":")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        client = TestClient(url: "http://127.0.0.1:\(port)")
        try await eventually("the balancer answers") { [client] in (try? await client.send("GET", "/health").status) == 200 }
    }

    /// Whether it takes all gateways for ready.
    func hasAll() async throws -> Bool { try await client.send("GET", Self.state).status == 200 }

    func end() async {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: settings)
    }
}
