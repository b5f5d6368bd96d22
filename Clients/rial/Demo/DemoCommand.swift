import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import Models
import RialClient
import Scene

/// Demonstrates the whole process: a device, captures of a room and of a screen that shows a room, and their evidence.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Registers a simulated device, sends a room and a screen, and shows the evidence.",
        discussion: """
            Reads RIAL_PUBLIC_URL and RIAL_DEVELOPMENT_ROOT_DIR. Exits with code 0 only if the room is HIGH and the screen is not.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func run() async throws {
        let client = try server.client()
        Console.progress("registering a simulated \(Enrolment.defaultModel) …")
        let state = try await enrolmentOptions.enrolment(client).run(model: Enrolment.defaultModel)
        Console.progress("device \(state.deviceID), \(state.attestationLevel.rawValue)")
        let session = DeviceSession(state)
        let room = try await send(.room, client, session)
        let screen = try await send(.screen, client, session)
        guard room.status == .complete, room.confidenceLevel == .high else {
            throw CommandFailure("The room should be HIGH and is \(Self.verdict(room)).")
        }
        guard screen.status == .complete, screen.confidenceLevel != .high else {
            throw CommandFailure("The screen should be complete and not HIGH, and is \(Self.verdict(screen)).")
        }
        Console.result("The room is HIGH, the screen is \(Self.verdict(screen)): as it should be.")
    }

    private func send(_ kind: SceneKind, _ client: APIClient, _ session: DeviceSession) async throws -> CaptureRecord {
        Console.progress("rendering a \(kind.rawValue) …")
        let options = SceneOptions(capturedAt: Date())
        let scene = try SceneRenderer.render(kind, seed: UInt64.random(in: 1...UInt64.max), options: options)
        let draft = CaptureDraft(
            photo: .bytes(scene.jpeg), depthMap: .bytes(try scene.depthGzip()), depthWidth: scene.depthWidth,
            depthHeight: scene.depthHeight, capturedAt: options.capturedAt,
            location: .init(latitude: 37.7793, longitude: -122.4193, accuracy: 5))
        let upload = try await draft.upload(model: options.model, binding: .v2, session: session)
        Console.progress("sending it …")
        let accepted = try await client.send(upload, signer: session)
        let capture = try await CaptureWatcher(client: client, timeout: .seconds(90)).follow(accepted.captureID)
        Console.result("\n── \(kind.rawValue) " + String(repeating: "─", count: 60))
        Console.result(capture.report(asJSON: false))
        return capture
    }

    private static func verdict(_ capture: CaptureRecord) -> String {
        capture.confidenceLevel?.rawValue.uppercased() ?? "\(capture.status.rawValue) (\(capture.failure ?? "no reason"))"
    }
}
