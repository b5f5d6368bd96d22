import CaptureKit
import Testing

@Suite("Device support")
struct DeviceSupportTests {
    private struct Device: DeviceInfo {
        let hardwareIdentifier: String
        let hasLiDAR: Bool
        let systemVersion = "18.1"
    }

    private func support(_ identifier: String, hasLiDAR: Bool = true) -> DeviceSupport {
        DeviceSupport(Device(hardwareIdentifier: identifier, hasLiDAR: hasLiDAR))
    }

    @Test(
        "has the Pro models with LiDAR, by Apple's names",
        arguments: [("iPhone13,3", "iPhone 12 Pro"), ("iPhone16,1", "iPhone 15 Pro"), ("iPhone18,2", "iPhone 17 Pro Max")])
    func supported(identifier: String, name: String) {
        #expect(support(identifier).isSupported && support(identifier).modelName == name)
    }

    @Test("has models that are newer than the table if they have LiDAR, by their identifier")
    func unknown() {
        #expect(support("iPhone31,1").isSupported && support("iPhone31,1").modelName == "iPhone31,1")
        #expect(support("iPhone31,1", hasLiDAR: false).problem == .sensorMissing)
    }

    @Test(
        "tells a person why a device is not supported",
        arguments: [
            ("iPhone15,4", true, .modelWithoutLiDAR), ("iPhone12,3", false, .modelWithoutLiDAR), ("iPhone16,1", false, .sensorMissing),
            ("iPad13,4", true, .notAnIPhone), ("arm64", false, .notAnIPhone), ("", true, .notAnIPhone),
        ] as [(String, Bool, DeviceProblem)])
    func problems(identifier: String, hasLiDAR: Bool, problem: DeviceProblem) {
        let support = support(identifier, hasLiDAR: hasLiDAR)
        #expect(support.problem == problem && !support.isSupported)
        #expect(problem.explanation.contains("LiDAR"))
    }
}
