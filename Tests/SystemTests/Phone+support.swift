import CaptureKit
import CaptureProtocol
import Foundation
import Testing

/// What some tests need of a phone beside its queue.
extension Phone {
    var keychain: FolderSecureStore { FolderSecureStore(folder: folder.path + "/phone/keychain") }

    /// The device as which the phone is registered now.
    func device() async throws -> DeviceID { try #require(try await IdentityStore(keychain).current?.deviceID) }

    /// The phone's store, opened by the test's own process.
    func store() async throws -> CaptureStore { try await CaptureStore.open(in: folder.path + "/phone/store", secrets: keychain) }

    /// Renders a small scene into a folder.
    func render(_ kind: String, seed: Int) async throws -> (photo: String, depth: String) {
        let scene = folder.path + "/\(kind)-\(seed)"
        _ = try await LocalStack.run(Self.program, ["scene", kind, "--seed", "\(seed)", "--out", scene, "--size", "640x480"], [:])
        return ("\(scene)/photo.jpg", "\(scene)/depth.f32.gz")
    }

    /// Adds a photo with a depth map of 256 × 192 values.
    /// - Parameter timeZone: the phone's, such as `Asia/Kolkata`.
    func add(photo: String, depth: String? = nil, _ more: [String] = [], timeZone: String = "UTC") async throws {
        let arguments = ["queue", "add", "--photo", photo, "--depth", depth ?? "\(folder.path)/scene/depth.f32.gz"]
        _ = try await LocalStack.run(
            Self.program, arguments + ["--width", "256", "--height", "192", "--store", folder.path + "/phone"] + more, ["TZ": timeZone])
    }

    /// Expects that all captures are uploaded, and that the server comes to this result for each.
    func expectResults(_ level: String = "high") async throws {
        for capture in try await captures() {
            let id = try #require(capture.capture_id, "\(capture)")
            let answer = try await TestClient(url: stack.url).settled(id, within: .seconds(120))
            #expect(answer.data["confidence_level"] as? String == level, "\(answer.text)")
        }
    }
}
