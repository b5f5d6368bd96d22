import CaptureProtocol
import Crypto
import Foundation
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    /// Behind a proxy, so that clients have different addresses.
    @Suite("Slow clients")
    struct SlowClients {
        private static let settings = [
            "RIAL_TRUSTED_PROXIES": "127.0.0.1/32", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "120", "RIAL_MAX_CONCURRENT_UPLOADS": "32",
            "RIAL_MAX_UPLOADS_PER_DEVICE": "3", "RIAL_MAX_UPLOADS_PER_ADDRESS": "8", "RIAL_MAX_VERIFICATIONS_PER_ADDRESS": "4",
            "RIAL_MAX_MEDIA_PER_ADDRESS": "16",
        ]
        private static func from(_ address: String) -> [(String, String)] { [("X-Forwarded-For", address)] }

        @Test("64 slow senders stop no upload, no verification and no probe, and are disconnected", .timeLimit(.minutes(8)))
        func senders() async throws {
            try await VerifyingGatewayTrait(number: 4, settings: Self.settings).around {
                let gateway = try VerifyingGateway.required()
                let client = gateway.client
                var honest = try await client.device()
                // An attacker can register any number of unverified devices.
                var devices: [SimulatedDevice] = []
                for _ in 0..<22 { devices.append(try await client.device(defect: .otherRoot)) }
                let senders = try (0..<64).map { try Self.upload(&devices[$0 / 3], client, from: "198.18.0.\($0)") }
                let files = try (0..<32).map { try Self.file(client, from: "198.19.\($0 / 4).1") }
                let trickle = Trickle(senders + files)
                try await eventually("the places for devices like these are taken") {
                    try await gateway.value("rial_uploads_in_progress") == 16
                }
                // Rejected clients get a Retry-After.
                try await eventually("the others are sent away") { senders.count { $0.status == 503 } == 48 }
                // Those that are in get the same status when they are cut.
                let refused = Set(senders.filter { $0.status == 503 }.map { ObjectIdentifier($0) })
                let slow = (senders + files).filter { !refused.contains(ObjectIdentifier($0)) }
                try await eventually("files are on their way") { try await gateway.value("rial_verification_files") == 32 }
                try await Self.expectService(gateway, &honest)
                let away = senders.filter { refused.contains(ObjectIdentifier($0)) }
                #expect(away.allSatisfy { $0.text().lowercased().contains("retry-after: ") })

                try await eventually("the slow are cut") {
                    let (uploads, verifications) = (
                        try await gateway.value("rial_uploads_in_progress"), try await gateway.value("rial_verification_files")
                    )
                    return uploads == 0 && verifications == 0
                }
                try await eventually("their connections are closed") {
                    (senders + files).allSatisfy {
                        _ = $0.text()
                        return $0.isEnded
                    }
                }
                // A connection is closed behind its answer, so that each of the slow has one.
                #expect(slow.count == 48)
                for sender in slow {
                    let answer = sender.text()
                    #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("\"SERVICE_UNAVAILABLE\""), "\(answer)")
                    #expect(answer.contains("The body came too slowly.") && answer.lowercased().contains("retry-after: 1\r\n"), "\(answer)")
                    #expect(answer.lowercased().contains("connection: close"), "\(answer)")
                }
                #expect(try await gateway.value("rial_transfers_cut_total{reason=\"body_slow\"}") ?? 0 >= 48)
                withExtendedLifetime(trickle) {}
            }
        }

        @Test("a device may have three uploads at once, an address eight", .timeLimit(.minutes(5)))
        func shares() async throws {
            try await VerifyingGatewayTrait(number: 4, settings: Self.settings).around {
                let gateway = try VerifyingGateway.required()
                let client = gateway.client
                var devices: [SimulatedDevice] = []
                for _ in 0..<4 { devices.append(try await client.device()) }
                // Fast enough to be tolerated.
                var held = try (0..<3).map { _ in try Self.upload(&devices[0], client, from: "198.18.0.1") }
                let first = Trickle(held, bytes: 2000)
                try await eventually("three are in") { try await gateway.value("rial_uploads_in_progress") == 3 }
                APIRefusal.rateLimited.expectEnvelope(
                    try await Self.send(&devices[0], client, from: "198.18.0.2"), "a fourth of the device")
                for device in [1, 2] {
                    held += try (0..<(device == 1 ? 3 : 2)).map { _ in try Self.upload(&devices[device], client, from: "198.18.0.1") }
                }
                let second = Trickle(Array(held.dropFirst(3)), bytes: 2000)
                try await eventually("eight are in") { try await gateway.value("rial_uploads_in_progress") == 8 }
                let ninth = try await Self.send(&devices[3], client, from: "198.18.0.1")
                APIRefusal.rateLimited.expectEnvelope(ninth, "a ninth of the address")
                #expect(Int(ninth.headers["retry-after"] ?? "") != nil)
                #expect(try await Self.send(&devices[3], client, from: "198.18.0.2").status == 201)
                first.end()
                second.end()
                held = []
                try await eventually("who is gone holds nothing") { try await gateway.value("rial_uploads_in_progress") == 0 }
                #expect(try await Self.send(&devices[0], client, from: "198.18.0.1").status == 201)
            }
        }

        @Test("90 readers that receive nothing stop no upload and no probe, and are disconnected", .timeLimit(.minutes(8)))
        func readers() async throws {
            let stack = try LocalStack.required()
            try await VerifyingGatewayTrait(number: 5, settings: Self.settings).around {
                let gateway = try VerifyingGateway.required()
                let client = gateway.client
                var honest = try await client.device()
                let capture = try await SignedCapture.make()
                try await Self.enlarge("c2pa.jpg", of: capture, to: 12 << 20)
                let link = try stack.link(capture.id, "c2pa.jpg", expires: Date() + 900)
                // The first twenty have the same address.
                let read = { (address: String) throws -> RawSocket in
                    let socket = try RawSocket(port: client.port, window: 4096)
                    _ = socket.send(Array("GET \(link) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(address)\r\n\r\n".utf8))
                    return socket
                }
                let ofOne = try (0..<20).map { _ in try read("198.18.1.1") }
                try await eventually("each of one address has an answer") { ofOne.allSatisfy { $0.status != nil } }
                #expect(ofOne.count { $0.status == 200 } == 16 && ofOne.count { $0.status == 429 } == 4, "\(ofOne.map(\.status))")
                let ofMany = try (0..<70).map { try read("198.18.2.\($0)") }
                try await eventually("each of many has an answer") { ofMany.allSatisfy { $0.status != nil } }
                #expect(ofMany.count { $0.status == 200 } == 32 && ofMany.count { $0.status == 503 } == 38, "\(ofMany.map(\.status))")
                #expect(ofMany.filter { $0.status == 503 }.allSatisfy { $0.text().lowercased().contains("retry-after: ") })
                try await Self.expectService(gateway, &honest)
                try await eventually("the slow are cut") { try await gateway.value("rial_media_in_progress") == 0 }
                #expect(try await gateway.value("rial_transfers_cut_total{reason=\"answer_slow\"}") == 48)
                #expect(try await client.send("GET", link).body.count == 12 << 20)
                withExtendedLifetime((ofOne, ofMany)) {}
            }
        }

        @Test("at most a MiB of a refused request's body is read, then the connection is closed", .timeLimit(.minutes(4)))
        func refusedBody() async throws {
            let client = try TestClient.current()
            for (path, status) in [("/api/v1/nothing", 404), (TestClient.captures, 401)] {
                let socket = try RawSocket(port: client.port)
                let head =
                    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n"
                _ = socket.send(Array(head.utf8))
                let piece = [UInt8](repeating: 0x2e, count: 64 * 1024)
                var sent = 0
                let deadline = ContinuousClock.now + .seconds(30)
                while sent < 200_000_000, ContinuousClock.now < deadline {
                    _ = socket.text()
                    guard let count = socket.send(piece) else { break }
                    sent += count
                    if count == 0 { try await Task.sleep(for: .milliseconds(2)) }
                }
                let answer = socket.text()
                #expect(answer.hasPrefix("HTTP/1.1 \(status)") && answer.lowercased().contains("connection: close"), "\(answer)")
                // Besides the MiB that the gateway reads, both sockets' buffers count.
                #expect(sent < 32_000_000, "\(sent) bytes were taken")
                #expect(socket.isEnded)
            }
        }

        @Test("an event stream's permit is released when its reader disconnects", .timeLimit(.minutes(5)))
        func streams() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            try await stack.without(["depth-analyzer"]) {
                let id = try await client.capture(&device, CaptureParts())
                let target = "\(TestClient.captures)/\(id)/events"
                let open = { () throws -> RawSocket in
                    let socket = try RawSocket(port: client.port)
                    _ = socket.send(Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                    return socket
                }
                for _ in 0..<3 {
                    var readers = try (0..<10).map { _ in try open() }
                    try await eventually("ten are open") { readers.allSatisfy { $0.status == 200 } }
                    let eleventh = try open()
                    try await eventually("one more has an answer") { eleventh.status != nil }
                    #expect(eleventh.status == 429)
                    readers = []
                    // The next heartbeat could come up to 15 s later.
                    try await eventually(within: .seconds(12), "their places are free") {
                        let (_, metrics) = try await stack.admin("gateway", "/metrics")
                        return metrics.contains("rial_event_streams_open 0")
                    }
                }
            }
        }

        @Test("a request for events with a body is refused, and takes no stream's place", .timeLimit(.minutes(4)))
        func streamWithBody() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            try await stack.without(["depth-analyzer"]) {
                let id = try await client.capture(&device, CaptureParts())
                // More parts than the server keeps for a reader that does not come.
                let chunks = "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\na\r\n", count: 8) + "0\r\n\r\n"
                for body in [chunks, "Content-Length: 8\r\n\r\naaaaaaaa"] {
                    let request = Array("GET \(TestClient.captures)/\(id)/events HTTP/1.1\r\nHost: localhost\r\n\(body)".utf8)
                    let senders = try (0..<12).map { _ in try RawSocket(port: client.port) }
                    for sender in senders { _ = sender.send(request) }
                    try await eventually("all have an answer") { senders.allSatisfy { $0.status != nil } }
                    #expect(senders.allSatisfy { $0.status == 413 })
                }
                let (_, metrics) = try await stack.admin("gateway", "/metrics")
                #expect(metrics.contains("rial_event_streams_open 0"))
            }
        }

        /// Expects that honest clients are served during the attack.
        private static func expectService(_ gateway: VerifyingGateway, _ device: inout SimulatedDevice) async throws {
            for _ in 0..<5 {
                #expect(try await send(&device, gateway.client, from: "192.0.2.77").status == 201)
                #expect(try await gateway.verify(ForeignPhoto.plain(), headers: from("192.0.2.77")).verdict == "no_record")
                #expect(try await gateway.adminAnswer("/readyz").status == 200)
                #expect(try await gateway.client.send("GET", "/health").status == 200)
            }
        }

        private static func send(_ device: inout SimulatedDevice, _ client: TestClient, from address: String) async throws -> Answer {
            try await client.submit(&device, CaptureParts().form(assertion: nil)) { headers, _ in headers += from(address) }
        }

        /// The head and the first bytes of an upload with an invalid signature.
        private static func upload(_ device: inout SimulatedDevice, _ client: TestClient, from address: String) throws -> RawSocket {
            let signed = try device.requestHeaders(
                method: "POST", path: TestClient.captures, bodyDigest: ContentDigest(of: [UInt8]()))
            let fields = signed.map { ($0.name, $0.value) } + from(address)
            return try begin(TestClient.captures, fields, part: "photo", client)
        }

        private static func file(_ client: TestClient, from address: String) throws -> RawSocket {
            try begin(TestClient.verifications, from(address), part: "file", client)
        }

        private static func begin(
            _ path: String, _ fields: [(String, String)], part: String, _ client: TestClient
        ) throws -> RawSocket {
            let lines =
                ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Length: 19000000"] + fields.map { "\($0.0): \($0.1)" }
                + ["Content-Type: multipart/form-data; boundary=\(TestClient.boundary)"]
            let part = "--\(TestClient.boundary)\r\nContent-Disposition: form-data; name=\"\(part)\"; filename=\"x\"\r\n\r\n"
            let socket = try RawSocket(port: client.port)
            let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + part).utf8) + [0xff, 0xd8, 0xff]
            guard socket.send(bytes) == bytes.count else { throw RawConnection.Failed(call: "send") }
            return socket
        }

        /// Replaces a published object by one larger than all buffers between store and client.
        private static func enlarge(_ name: String, of capture: SignedCapture, to size: Int) async throws {
            let stack = try LocalStack.required()
            let bytes = HostileBytes.noise(size)
            // Under a key that the gateway may read.
            let stem = name.prefix { $0 != "." }
            let key = "captures/\(capture.id)/\(stem)-\(UUID().uuidString.lowercased())"
            try await stack.storage().put(key, bytes: bytes, contentType: "image/jpeg")
            _ = try await stack.sql(
                """
                UPDATE media_objects SET object_key = '\(key)', sha256 = '\\x\(bytes.sha256)', size_bytes = \(size)
                WHERE capture_id = '\(capture.id)' AND name = '\(name)'
                """)
        }
    }
}

extension VerifyingGateway {
    /// The value of a metric; `nil` if there is none with this name.
    func value(_ metric: String) async throws -> Double? {
        try await admin("/metrics").split(separator: "\n").first { $0.hasPrefix(metric + " ") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
    }
}
