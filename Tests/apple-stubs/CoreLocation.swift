// What the adapters use of Core Location.
public import Foundation

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationmanager
open class CLLocationManager: NSObject {
    // iOS 14.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/authorizationstatus-swift.property
    open var authorizationStatus: CLAuthorizationStatus { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/desiredaccuracy
    open var desiredAccuracy: CLLocationAccuracy = 0
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/location
    open var location: CLLocation? { fatalError() }
    // iOS 8.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/requestwheninuseauthorization()
    open func requestWhenInUseAuthorization() {}
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/startupdatinglocation()
    open func startUpdatingLocation() {}
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationmanager/stopupdatinglocation()
    open func stopUpdatingLocation() {}
}

// iOS 4.2: https://developer.apple.com/documentation/corelocation/clauthorizationstatus
public enum CLAuthorizationStatus: Int32, Sendable {
    // iOS 4.2: https://developer.apple.com/documentation/corelocation/clauthorizationstatus/notdetermined
    case notDetermined
    // iOS 4.2: https://developer.apple.com/documentation/corelocation/clauthorizationstatus/restricted
    case restricted
    // iOS 4.2: https://developer.apple.com/documentation/corelocation/clauthorizationstatus/denied
    case denied
    // iOS 8.0: https://developer.apple.com/documentation/corelocation/clauthorizationstatus/authorizedalways
    case authorizedAlways
    // iOS 8.0: https://developer.apple.com/documentation/corelocation/clauthorizationstatus/authorizedwheninuse
    case authorizedWhenInUse
}

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation
open class CLLocation: NSObject {
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation/coordinate
    open var coordinate: CLLocationCoordinate2D { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation/altitude
    open var altitude: CLLocationDistance { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation/horizontalaccuracy
    open var horizontalAccuracy: CLLocationAccuracy { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation/verticalaccuracy
    open var verticalAccuracy: CLLocationAccuracy { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocation/timestamp
    open var timestamp: Date { fatalError() }
}

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationcoordinate2d
public struct CLLocationCoordinate2D {
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationcoordinate2d/latitude
    public var latitude: CLLocationDegrees
    // iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationcoordinate2d/longitude
    public var longitude: CLLocationDegrees
}

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationdegrees
public typealias CLLocationDegrees = Double

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationdistance
public typealias CLLocationDistance = Double

// iOS 2.0: https://developer.apple.com/documentation/corelocation/cllocationaccuracy
public typealias CLLocationAccuracy = Double

// iOS 2.0: https://developer.apple.com/documentation/corelocation/kcllocationaccuracybest
public var kCLLocationAccuracyBest: CLLocationAccuracy { fatalError() }
