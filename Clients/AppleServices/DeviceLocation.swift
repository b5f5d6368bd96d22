public import CaptureKit
public import CaptureProtocol
import CoreLocation
import Foundation

/// The device's position, kept current between ``start()`` and ``stop()``, such as while the camera is open.
///
/// The app's Info.plist says why in `NSLocationWhenInUseUsageDescription`.
@MainActor
public final class DeviceLocation: LocationSource {
    private let manager = CLLocationManager()

    public init() {}

    /// Asks the person once, at first use.
    public func start() {
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    public func stop() { manager.stopUpdatingLocation() }

    public func fix(notOlderThan age: Duration) async -> PreciseLocation? {
        guard manager.authorizationStatus == .authorizedWhenInUse || manager.authorizationStatus == .authorizedAlways,
            // A negative accuracy marks an invalid position.
            let location = manager.location, location.horizontalAccuracy >= 0,
            -location.timestamp.timeIntervalSinceNow <= age / .seconds(1)
        else { return nil }
        return PreciseLocation(
            latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
            altitude: location.verticalAccuracy > 0 ? location.altitude : nil, accuracy: location.horizontalAccuracy)
    }
}
