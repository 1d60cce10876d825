/** The route of one room, which several functions share with different methods. */

/**
 * The host takes the first matching route in the order of the function names, so the parameter must not match the
 * literal routes `room/list` and `room/bulk`. This constraint has been tested on the real host.
 */
export const roomRoute = "room/{room_name:regex(^(?!list$|bulk$).+$)}";
